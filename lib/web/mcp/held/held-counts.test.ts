import { expect, test } from "vitest";
import { HELD_CALLS_PER_AGENT, HELD_CALLS_PER_ORGANIZATION } from "../../tunables.ts";
import { HeldCounts } from "./held-counts.ts";

test("one agent has so many calls open, and all of an organization so many together, whatever others have", () => {
  const counts = new HeldCounts();
  const open = (organization: string, agent: string, count: number) => {
    for (let n = 0; n < count; n++) {
      expect(counts.refusal(organization, agent)).toBeNull();
      counts.add(organization, agent);
    }
  };
  open("acme", "a", HELD_CALLS_PER_AGENT);
  expect(counts.refusal("acme", "a")).toMatch(/^This agent has 5000 calls/);
  open("acme", "b", HELD_CALLS_PER_ORGANIZATION - HELD_CALLS_PER_AGENT);
  expect(counts.refusal("acme", "c")).toMatch(/^Your organization’s agents have 10000 calls/);
  expect(counts.refusal("globex", "d")).toBeNull();
  counts.remove("acme", "b");
  expect(counts.refusal("acme", "c")).toBeNull();
  expect(counts.refusal("acme", "a")).not.toBeNull();
});
