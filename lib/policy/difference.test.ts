import { expect, test } from "vitest";
import { differenceOf } from "./difference.ts";
import { policyInputSchema } from "./policy-schema.ts";

test("a new group is one whatever its name", () => {
  const named = (name: string) => policyInputSchema.parse({ groups: { [name]: ["ana@x"] } });
  const { groups } = differenceOf(policyInputSchema.parse({}), named("constructor"));
  expect(groups).toEqual([{ name: "constructor", from: null, to: ["ana@x"] }]);
});
