import { expect, test } from "vitest";
import { callRulesInputSchema } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { callLanguage } from "@/lib/policy/call-rules/facts.ts";
import { rowsIn } from "@/lib/policy/conditions/rows-from-cel.ts";
import { policyLanguage } from "@/lib/policy/facts.ts";
import { policyInputSchema } from "@/lib/policy/policy-schema.ts";
import { areOrdinary, rowsInWords } from "./condition-words.ts";
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
  ['server.id == "s1" || agent == null', "server is “Finance ERP” or agent is none"],
  ["has(arguments.invoice) && has(arguments.invoice.total)", "argument “invoice.total” is given"],
  ["!tool.readOnly", "tool only reads: no"],
  [
    'now.getHours("UTC") < 9 || now.getHours("UTC") >= 17',
    "time of day is not between 09:00 and 17:00 (UTC)",
  ],
  ['tool.name in ["pay", "wire"]', "tool is one of “pay”, “wire”"],
  ['requester.kind == "key"', "requester’s kind is an API key"],
])("%s reads as: %s", (cel, words) => {
  expect(said(cel)).toEqual({ words, isOrdinary: true });
});

const NAMES: Record<string, string> = { s1: "Finance ERP", a1: "any", a2: "x” or amount is above 5000" };
function said(cel: string) {
  const rows = rowsIn(cel, "call");
  const nameOf = (_: string, value: string) => NAMES[value] ?? null;
  return rows && { words: rowsInWords(rows, nameOf), isOrdinary: areOrdinary(rows, nameOf) };
}

test.each([
  [
    'tool.name == "pay_invoice” or amount is above 5000 or tool is “x"',
    'tool is "pay_invoice\\u201d or amount is above 5000 or tool is \\u201cx"',
  ],
  [
    'tool.name in ["pay” or amount is above 5000 or tool is one of “wire"]',
    'tool is one of "pay\\u201d or amount is above 5000 or tool is one of \\u201cwire"',
  ],
  [
    '"x, is given or amount is above 5000 or argument y" in arguments',
    "argument “x, is given or amount is above 5000 or argument y” is given",
  ],
  ['agent != null && agent.id == "a2"', 'agent is "x\\u201d or amount is above 5000"'],
  [
    'now.getHours("UTC) or (amount") < 9 || now.getHours("UTC) or (amount") >= 17',
    "time of day is not between 09:00 and 17:00 (“UTC) or (amount”)",
  ],
])("%s reads as %s, and stands in CEL too", (cel, words) => {
  expect(said(cel)).toEqual({ words, isOrdinary: false });
});

test.each([...[..."ꞌʻʽʹˈˊˋʾʿʹᛌᑊ‵՚΄᾽᾿"].map((sign) => sign.repeat(2)), ..."‶¨゛ﾞᐦ", "١١", " ̎"])(
  "%s in a name stands in CEL too",
  (sign) => {
    expect(said(`tool.name == "pay${sign} or amount is above 5000 or tool is ${sign}x"`)?.isOrdinary).toBe(
      false,
    );
  },
);

test.each(["Überweisung 2", "Việt", "経理 東京", "Оплата", "Πληρωμή"])("%s is an ordinary name", (name) => {
  expect(said(`tool.name == "${name}"`)).toEqual({ words: `tool is “${name}”`, isOrdinary: true });
});

test("an agent can’t be called what a condition says of all agents", () => {
  expect(said('agent != null && agent.id == "a1"')?.words).toBe("agent is “any”");
  expect(said("agent != null")?.words).toBe("agent is any");
});
