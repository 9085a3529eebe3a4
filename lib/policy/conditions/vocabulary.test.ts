import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Budget } from "../../text/rules/budget.ts";
import { automaticFactsOf, automaticLanguage } from "../automatic/judge.ts";
import { callLanguage, factsOf as factsOfCall } from "../call-rules/facts.ts";
import { type AskedRequest, factsOf, policyLanguage } from "../facts.ts";
import { NAMES, namesOf, RULES, type Rules } from "./vocabulary.ts";

const actor = { kind: "member", id: "u1", name: "Ola" } as const;
const now = new Date("2026-11-24T10:30:00Z");
const server = { id: "s1", name: "Finance ERP" };
const args = { amount: 6000, currency: "EUR", invoice: { id: "INV-1" } };
const asked: AskedRequest = {
  server,
  tool: "pay",
  task: { label: "INV-1", arguments: args, createdAt: now },
  request: { message: "Pay?", amount: 6000, currency: "EUR", fields: [], url: null, askedAgain: false },
  requester: { actor, role: "operator", groups: ["finance"] },
  now,
};
const READERS = { call: callLanguage, policy: policyLanguage, automatic: automaticLanguage };
const FACTS: Record<Rules, Record<string, unknown>> = {
  call: factsOfCall({
    server,
    tool: { name: "pay", title: "Pay", annotations: {} } as never,
    arguments: args,
    requester: { actor, role: "operator" },
    now,
  }),
  policy: factsOf(asked),
  automatic: automaticFactsOf(asked, { accepted: 5, declined: 0, repeats: false }),
};

function holds(text: string, rules: Rules): boolean {
  const read = READERS[rules].read(text);
  if ("problem" in read) throw new Error(`${text}: ${read.problem.message}`);
  return read.condition.holds(FACTS[rules], new Budget());
}

describe.each(RULES)("%s rules", (rules) => {
  test.each(namesOf(rules).map(({ name }) => name))("know %s", (name) => {
    expect(holds(`${name} == ${name}`, rules)).toBe(true);
  });

  test.each([
    "amount == 6000.0",
    'currency == "EUR"',
    'tool.name == "pay"',
    'arguments.invoice.id == "INV-1"',
    'requester.name == "Ola"',
    "request.amount == amount",
    "request.currency == currency",
  ])("mean the same by %s", (text) => {
    expect(holds(text, rules)).toBe(true);
  });
});

test.each(["policy", "automatic"] as const)("%s rules read their older names", (rules) => {
  for (const text of [
    'tool == "pay" && amount > 5.0',
    'tool in ["pay"] && task.arguments.amount == 6000.0',
    'tool.startsWith("p") && task.requester == "Ola"',
  ])
    expect(holds(text, rules), text).toBe(true);
});

test.each<[string, Rules, string]>([
  ['toolname == "pay"', "call", "Unknown name `toolname`; did you mean `tool.name`?"],
  ['toolname == "pay"', "policy", "Unknown name `toolname`; did you mean `tool.name`?"],
  ["amout > 5.0", "policy", "Unknown name `amout`; did you mean `amount`?"],
  ["tool.readonly", "call", "Unknown name `tool.readonly`; did you mean `tool.readOnly`?"],
  ["tool.readOnly", "policy", "Unknown name `tool.readOnly`: only call rules know it"],
  ['role == "admin"', "call", "Unknown name `role`; did you mean `requester.role`?"],
  ["args.total > 5.0", "call", "Unknown name `args.total`; did you mean `arguments`?"],
  ["task.arguments.total > 5.0", "call", "Unknown name `task.arguments.total`; did you mean `arguments`?"],
  ['"cfo" in requester.groups', "call", "Unknown name `requester.groups`: only the policy knows it"],
  ["similar.accepted > 5", "policy", "Unknown name `similar.accepted`: only automatic rules know it"],
  ["nothing == 1", "call", "Unknown name `nothing`"],
])("%s in %s rules: %s", (text, rules, message) => {
  const read = READERS[rules].read(text);
  expect("problem" in read && read.problem.message).toBe(message);
});

test("docs/conditions.md lists every name, with its type, its rules and its sentence", () => {
  const page = readFileSync("docs/conditions.md", "utf8");
  const rows = NAMES.map(({ name, type, rules, words, older }) => {
    const known =
      rules.length === RULES.length ? "all" : rules.includes("policy") ? "policy" : rules.join(", ");
    return `| \`${name}\`${older ? ` (older: \`${older.name}\`)` : ""} | ${type} | ${known} | ${words.replaceAll("’", "'")} |`;
  });
  const listed = page
    .split("\n")
    .filter((line) => /^\| `[\w.]+`.* \| (all|policy|call|automatic) \| /.test(line));
  expect(listed).toEqual(rows);
});
