import { expect, test } from "vitest";
import { callRulesInputSchema } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { callLanguage } from "@/lib/policy/call-rules/facts.ts";
import { rowsIn } from "@/lib/policy/conditions/rows-from-cel.ts";
import { policyLanguage } from "@/lib/policy/facts.ts";
import { policyInputSchema } from "@/lib/policy/policy-schema.ts";
import { rowsInWords } from "./condition-words.ts";
import { CALL_EXAMPLES, POLICY_EXAMPLES, withExample } from "./examples.ts";

test("examples can be saved, and rows show their conditions", () => {
  expect(policyInputSchema.safeParse({ rules: POLICY_EXAMPLES }).error).toBeUndefined();
  expect(callRulesInputSchema.safeParse({ rules: CALL_EXAMPLES }).error).toBeUndefined();
  for (const { when } of POLICY_EXAMPLES.filter((each) => each.when)) {
    expect(policyLanguage.read(when!)).toHaveProperty("condition");
    expect(rowsIn(when!, "policy")).not.toBeNull();
  }
  for (const { when } of CALL_EXAMPLES) {
    expect(callLanguage.read(when!)).toHaveProperty("condition");
    expect(rowsIn(when!, "call")).not.toBeNull();
  }
});

test("an example stands before a rule for everything, which would leave it nothing", () => {
  const [large, own] = POLICY_EXAMPLES;
  expect(withExample([], own!)).toEqual({ rules: [own], at: 0 });
  expect(withExample([own!], large!)).toEqual({ rules: [large, own], at: 0 });
  expect(withExample([large!], own!)).toEqual({ rules: [large, own], at: 1 });
});

test.each([
  ["amount != null && amount > 5000.0", "amount is above 5000"],
  ['tool.name == "pay" && currency != "EUR"', "tool is “pay” and currency is not “EUR”"],
  ['server.id == "s1" || agent == null', "server is Finance ERP or agent is none"],
  ["has(arguments.invoice) && has(arguments.invoice.total)", "argument invoice.total is given"],
  ["!tool.readOnly", "tool only reads: no"],
  [
    'now.getHours("UTC") < 9 || now.getHours("UTC") >= 17',
    "time of day is not between 09:00 and 17:00 (UTC)",
  ],
])("%s reads as: %s", (cel, words) => {
  const rows = rowsIn(cel, "call");
  expect(rows && rowsInWords(rows, (_, value) => (value === "s1" ? "Finance ERP" : `“${value}”`))).toBe(
    words,
  );
});
