import { describe, expect, test } from "vitest";
import type { Before } from "../../agents/agent-schema.ts";
import { type CallRule, callRulesInputSchema } from "./call-rule-schema.ts";
import type { Call } from "./facts.ts";
import { type Grant, judge } from "./judge.ts";

const ERP = "01890000-0000-7000-8000-000000000001";
const CRM = "01890000-0000-7000-8000-000000000002";

const call = (more: Partial<Call> = {}): Call => ({
  server: { id: ERP, name: "Finance ERP" },
  tool: { name: "process_invoice", title: "Process an invoice", annotations: { destructiveHint: false } },
  arguments: { invoice_id: "INV-1", total: 7_000, currency: "EUR" },
  requester: { actor: { kind: "member", id: "ben", name: "Ben" }, role: "operator" },
  now: new Date("2026-11-24T10:30:00Z"),
  ...more,
});

const rule = (name: string, before: Before, more: Partial<CallRule> = {}): CallRule => ({
  name,
  when: null,
  servers: [],
  tools: [],
  before,
  ...more,
});

const decide = (rules: CallRule[], more: Partial<Call> = {}, grant: Grant | null = null) => {
  const { before, rule: by, why } = judge({ version: 7, rules }, call(more), grant);
  return [before, by?.name ?? null, why];
};

describe("a call that a program makes with its own tool", () => {
  const own = {
    server: { id: "", name: "Claude Code" },
    tool: { name: "Bash", title: null, annotations: null },
    arguments: { command: "git status" },
    isPrograms: true,
  };
  const ASKS: Grant = { before: "ask", changed: false };
  test.each<[string, CallRule[], unknown[]]>([
    ["is asked about without rules", [], ["ask", null, "grant"]],
    ["is not allowed by a rule for all tools", [rule("All", "allow")], ["ask", null, "grant"]],
    [
      "is not allowed by a condition alone",
      [rule("Mine", "allow", { when: 'tool.name == "Bash"' })],
      ["ask", null, "grant"],
    ],
    [
      "is allowed by a rule that lists its tool",
      [rule("Bash", "allow", { tools: ["Bash"], when: 'arguments.command == "git status"' })],
      ["allow", "Bash", "rule"],
    ],
    ["is denied by a rule for all tools", [rule("None", "deny")], ["deny", "None", "rule"]],
    [
      "is not allowed before a rule that denies it",
      [rule("All", "allow"), rule("None", "deny")],
      ["deny", "None", "rule"],
    ],
    ["is none of a server's", [rule("ERP", "deny", { servers: [ERP] })], ["ask", null, "grant"]],
    [
      "has claims that nobody believes",
      [rule("Reading", "allow", { tools: ["Bash"], when: "tool.readOnly" })],
      ["ask", null, "grant"],
    ],
  ])("%s", (_, rules, expected) => {
    expect(decide(rules, own, ASKS)).toEqual(expected);
  });
});

describe("a call", () => {
  const LARGE = rule("Large", "ask", { when: "amount != null && amount >= 5000.0" });
  const NO_ERP = rule("Not the ERP", "deny", { servers: [ERP] });
  const NO_CRM = rule("Not the CRM", "deny", { servers: [CRM] });
  const PAY = rule("Pay", "allow", { tools: ["pay", "process_invoice"] });
  const BROKEN = rule("Broken", "allow", { when: "arguments.force" });

  test.each<[string, CallRule[], Grant | null, unknown[]]>([
    ["is made without rules", [], null, ["allow", null, "no_rule"]],
    ["is made if no rule matches", [NO_CRM], null, ["allow", null, "no_rule"]],
    ["is decided by the first rule that matches", [NO_CRM, LARGE, NO_ERP], null, ["ask", "Large", "rule"]],
    ["is decided by the first rule that matches", [NO_ERP, LARGE], null, ["deny", "Not the ERP", "rule"]],
    ["is let through by a rule", [PAY, NO_ERP], null, ["allow", "Pay", "rule"]],
    [
      "is decided by a rule before the grant",
      [PAY],
      { before: "deny", changed: false },
      ["allow", "Pay", "rule"],
    ],
    [
      "is decided by the grant without a rule",
      [NO_CRM],
      { before: "ask", changed: false },
      ["ask", null, "grant"],
    ],
    [
      "is made by an agent that was granted it",
      [],
      { before: null, changed: false },
      ["allow", null, "no_rule"],
    ],
    ["of a changed tool is asked about", [], { before: null, changed: true }, ["ask", null, "tool_changed"]],
    [
      "of a changed tool is asked about, whatever lets it through",
      [PAY],
      { before: "allow", changed: true },
      ["ask", null, "tool_changed"],
    ],
    [
      "of a changed tool stays refused",
      [NO_ERP],
      { before: null, changed: true },
      ["deny", "Not the ERP", "rule"],
    ],
    ["is asked about if a rule can't be applied", [BROKEN], null, ["ask", "Broken", "rule_failed"]],
    [
      "is asked about if a rule before one that lets it through can't be applied",
      [BROKEN, PAY],
      null,
      ["ask", "Broken", "rule_failed"],
    ],
    [
      "is refused by a rule after one that can't be applied",
      [BROKEN, NO_ERP],
      null,
      ["deny", "Not the ERP", "rule"],
    ],
    [
      "is refused by the grant after a rule that can't be applied",
      [BROKEN],
      { before: "deny", changed: false },
      ["deny", null, "grant"],
    ],
    [
      "never meets a rule that can't be applied after one that matches",
      [PAY, BROKEN],
      null,
      ["allow", "Pay", "rule"],
    ],
  ])("%s", (_, rules, grant, expected) => {
    expect(decide(rules, {}, grant)).toEqual(expected);
  });

  test.each<[string, CallRule[], unknown[]]>([
    ["is refused by a rule without a condition", [NO_ERP], ["deny", "Not the ERP", "rule"]],
    [
      "is refused by a rule that asks nothing of it",
      [rule("No members", "deny", { when: "agent == null && request.currency == null" })],
      ["deny", "No members", "rule"],
    ],
    [
      "is refused by a rule that does not get as far as it",
      [rule("Large or here", "deny", { when: "server.name == 'Finance ERP' || amount > 5.0" })],
      ["deny", "Large or here", "rule"],
    ],
    ["is asked about by a rule that reads it", [LARGE], ["ask", "Large", "rule_failed"]],
    [
      "is asked about by a rule that reads it of the request",
      [rule("Small", "allow", { when: "request.amount < 5.0" })],
      ["ask", "Small", "rule_failed"],
    ],
    ["is refused by a rule after one that reads it", [LARGE, NO_ERP], ["deny", "Not the ERP", "rule"]],
  ])("whose amount has two readings %s", (_, rules, expected) => {
    expect(decide(rules, { arguments: { total: "12.500", currency: "EUR" } })).toEqual(expected);
  });

  test("is judged by what it is about", () => {
    const facts: [string, Partial<Call>][] = [
      ['server.name == "Finance ERP" && tool.name == "process_invoice"', {}],
      ['request.amount == 7000 && request.currency == "EUR"', {}],
      ["!tool.readOnly && !tool.destructive && tool.openWorld", {}],
      [
        "tool.readOnly && !tool.destructive",
        { tool: { name: "get", title: null, annotations: { readOnlyHint: true } } },
      ],
      ["tool.destructive", { tool: { name: "drop", title: null, annotations: null } }],
      ["tool.destructive", { tool: { name: "drop", title: null, annotations: { destructiveHint: "no" } } }],
      ['requester.kind == "member" && requester.role == "operator" && agent == null', {}],
      [
        'agent != null && agent.name == "Claude" && requester.kind == "agent"',
        { requester: { actor: { kind: "agent", id: "a1", name: "Claude" }, role: "operator" } },
      ],
      ["amount == 90000", { arguments: { amount: 90000, total: 1 } }],
      ["amount == 90000", { arguments: { payment: { amount: 90000 }, x: {}, y: {} } }],
      ["amount == 90000", { arguments: { lines: [{ price: 1 }, { price: "USD 90,000.00" }] } }],
      ["amount == null", { arguments: { note: "hello" } }],
      ["now.getDayOfWeek() == 2", {}],
    ];
    for (const [when, more] of facts)
      expect([when, ...decide([rule("It", "deny", { when })], more)]).toEqual([when, "deny", "It", "rule"]);
  });

  test("a condition that this version can't read asks", () => {
    expect(decide([rule("Of a later version", "allow", { when: "similar.accepted > 5" })])).toEqual([
      "ask",
      "Of a later version",
      "rule_failed",
    ]);
  });

  test("work of many rules is bounded together", () => {
    const many = Array.from({ length: 100 }, (_, at) =>
      rule(`Rule ${at}`, "deny", { when: "arguments.a.exists(x, x < 0.0)" }),
    );
    const large = { arguments: { a: Array.from({ length: 5_000 }, (_, at) => at) } };
    expect(decide(many, large)).toEqual(["ask", expect.stringMatching(/^Rule \d+$/), "rule_failed"]);
  });
});

describe("rules as they are sent", () => {
  const read = (rules: unknown) => callRulesInputSchema.safeParse({ rules });

  test("may leave out what they don't limit", () => {
    expect(read([{ name: " All ", before: "ask", when: "  " }]).data).toEqual({
      rules: [rule("All", "ask")],
    });
  });

  test.each<[string, unknown[], string]>([
    [
      "a misspelled property, which would widen the rule",
      [{ name: "A", before: "deny", server: [ERP] }],
      "rules.0",
    ],
    ["two of one name", [rule("A", "ask"), rule("A", "deny")], "rules.1.name"],
    ["an unknown decision", [{ name: "A", before: "maybe" }], "rules.0.before"],
    ["no name", [{ name: " ", before: "ask" }], "rules.0.name"],
    ["a long condition", [rule("A", "ask", { when: "x".repeat(2_001) })], "rules.0.when"],
    ["more than a hundred", Array.from({ length: 101 }, (_, at) => rule(`${at}`, "ask")), "rules"],
  ])("are refused with %s", (_, rules, place) => {
    expect(read(rules).error?.issues.map(({ path }) => path.join("."))).toContain(place);
  });
});
