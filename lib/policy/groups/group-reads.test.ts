import { expect, test } from "vitest";
import { policyInputSchema } from "../policy-schema.ts";
import { usesOf } from "./group-reads.ts";

test("the stages that name groups are found by one look at each name", () => {
  let looks = 0;
  const names = Array.from({ length: 49 }, (_, n) => `group ${n}`);
  const ids = new Proxy(Object.fromEntries(names.map((name) => [name, `id of ${name}`])), {
    get(target, name) {
      looks++;
      return Reflect.get(target, name) as string;
    },
  });
  const stages = Array.from({ length: 10 }, (_, n) => ({
    name: `${n}`,
    approvers: { groups: [...names, "own"] },
    escalate: { after: "1h", to: { groups: ["group 1", "unknown"] } },
  }));
  const policy = policyInputSchema.parse({ groups: { own: [] }, rules: [{ name: "All", stages }] });
  const uses = usesOf(policy, ids);
  expect(uses.size).toBe(49);
  expect(uses.get("id of group 0")).toHaveLength(10);
  expect(uses.get("id of group 1")?.slice(0, 2)).toEqual([
    { rule: "All", stage: "0", how: "approvers", as: "group 1" },
    { rule: "All", stage: "0", how: "escalation", as: "group 1" },
  ]);
  expect(looks).toBe(500);
});
