import { expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../../test/guards/busiest-turn.ts";
import { policyInputSchema } from "../policy-schema.ts";
import { askingRules } from "./conditions.ts";

test("which rules ask for a group is found for many rules and groups without holding anybody up", async () => {
  const asks = Array.from({ length: 50 }, (_, n) => `"group ${n}" in requester.groups`).join(" || ");
  const stages = [{ name: "One", approvers: { roles: ["owner"] } }];
  const rules = Array.from({ length: 100 }, (_, n) => ({
    name: `rule ${n}`,
    when: `${asks} || amount > ${n}.0`,
    stages,
  }));
  const policy = policyInputSchema.parse({ groups: { "group 1": [] }, rules });
  const count = () => {
    const asking = askingRules(policy);
    return Array.from({ length: 200 }, (_, n) => asking(`group ${n}`).length);
  };
  // A name of the policy's own means its own group.
  expect(count().slice(0, 3)).toEqual([100, 0, 100]);
  expect(count().slice(48, 52)).toEqual([100, 100, 0, 0]);
  expect(await busiestTurn(async () => count().length)).toBeLessThan(MOST_HELD_MS);
});
