/** What rules say is compared at each save of the policy, and told on its page: also where their groups have as many people as there may be. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../../test/guards/busiest-turn.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import type { WithPeople } from "../difference.ts";
import { policyInputSchema } from "../policy-schema.ts";
import { isTooLong } from "../problems.ts";
import { authorsOf, fingerprintOf } from "./authors.ts";
import { frees, raisedIn } from "./going-live.ts";

const members = Array.from({ length: 24 }, (_, n) => `${n}@x.io`);
const people = Object.fromEntries(
  members.map((address, n) => [address, `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`]),
);

/** A new one each time, as it is read. */
function largest(): WithPeople {
  const groups = Object.fromEntries(Array.from({ length: 420 }, (_, n) => [`g${n}`, members]));
  const automatic = Array.from({ length: 50 }, (_, n) => ({
    ...{ name: `${n}`, when: `"g${n}" in requester.groups`, mode: "live" },
    answer: { action: "accept", content: { value: "approve" } },
  }));
  const rules = [{ name: "All", when: '"g1" in requester.groups', stages: [{ name: "One", approvers: {} }] }];
  const policy = policyInputSchema.parse({ groups, automatic, rules });
  expect(isTooLong(policy)).toBe(false);
  return { policy, people: { ...people }, groups: {} };
}

test.each<[string, (before: WithPeople, after: WithPeople) => unknown]>([
  ["which rules answer more", raisedIn],
  ["whether rules may answer more", frees],
  ["who answers for them", (before, after) => authorsOf(before, after, 2, [], { earlier: [], frees: true })],
])("%s", async (_, judge) => {
  const [before, after] = [largest(), largest()];
  const busiest = await busiestTurn(async () => JSON.stringify(judge({ ...before }, { ...after })));
  expect(busiest).toBeLessThan(MOST_HELD_MS);
});

test("a fingerprint is that of the whole in canonical JSON, as it is stored of earlier rules", () => {
  const { policy, people: meant } = largest();
  const small = {
    policy: { ...policy, groups: { finance: ["1@x.io", "0@x.io", "gone@x.io"] } },
    people: meant,
  };
  const of = (said: object) => createHash("sha256").update(canonicalJson(said)).digest("hex");
  const when = '"finance" in requester.groups';
  const accept = { action: "accept" as const, content: { b: 1, a: "x" } };
  const groups = { finance: [people["0@x.io"], people["1@x.io"]] };
  expect(fingerprintOf({ when, answer: accept }, small)).toBe(
    of({ v: 1, when, action: "accept", content: accept.content, groups }),
  );
  expect(fingerprintOf({ when: "true", answer: { action: "decline" } }, small)).toBe(
    of({ v: 1, when: "true", action: "decline", content: null }),
  );
});
