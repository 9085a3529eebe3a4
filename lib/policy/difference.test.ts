import { expect, test } from "vitest";
import { changesOf, differenceOf } from "./difference.ts";
import { policyInputSchema } from "./policy-schema.ts";

test("a new group is one whatever its name", () => {
  const named = (name: string) => policyInputSchema.parse({ groups: { [name]: ["ana@x"] } });
  const { groups } = differenceOf(policyInputSchema.parse({}), named("constructor"));
  expect(groups).toEqual([{ name: "constructor", from: null, to: ["ana@x"] }]);
});

test("a name that meant a group of the policy and means one of the organization now, or the other way round, is told", () => {
  const stage = { name: "Money", approvers: { groups: ["finance"] } };
  const policy = (groups: Record<string, string[]>) =>
    policyInputSchema.parse({ groups, rules: [{ name: "All", stages: [stage] }] });
  const own = { policy: policy({ finance: ["ben@acme.example"] }), people: {}, groups: {} };
  const organizations = { policy: policy({}), people: {}, groups: { finance: "g1" } };
  expect(changesOf(own, organizations).others).toEqual(["finance"]);
  expect(changesOf(organizations, own).others).toEqual(["finance"]);
  expect(changesOf(own, own).others).toBeUndefined();
});
