import { expect, test } from "vitest";
import { callRulesInputSchema } from "./call-rule-schema.ts";
import { type ListedServer, oddNames } from "./names.ts";

const ERP = "01890000-0000-7000-8000-000000000001";
const MAIL = "01890000-0000-7000-8000-000000000002";
const SERVERS: ListedServer[] = [
  { id: ERP, name: "Finance ERP", prefix: "finance-erp", tools: ["pay_invoice", "list invoices"] },
  // No agent was offered its tools yet.
  { id: MAIL, name: "Mail", prefix: null, tools: ["send", "finance-erp__twin"] },
];

interface Odd {
  mistaken: string[];
  unknown: string[];
}

function odd(rule: object): Odd {
  const { rules } = callRulesInputSchema.parse({ rules: [{ name: "A", before: "deny", ...rule }] });
  const { mistaken, unknown } = oddNames(rules, SERVERS);
  const words = (found: { field: string; message: string }[]) =>
    found.map(({ field, message }) => `${field.replace("rules.0.", "")}: ${message}`);
  return { mistaken: words(mistaken), unknown: words(unknown) };
}

test.each<[string, object]>([
  ["tools and servers that are there", { tools: ["pay_invoice", "send"], servers: [ERP, MAIL] }],
  ["a name that looks like an agent's, and is a tool's own", { tools: ["finance-erp__twin"] }],
  ["conditions about what is there", { when: 'tool.name == "send" && server.name.startsWith("Finance")' }],
  ["a server by its id", { when: `server.id == "${ERP}"` }],
  [
    "tools of coding agents",
    { tools: ["Bash", "mcp__github__create_issue"], when: 'server.name == "Codex"' },
  ],
  ["conditions about something else", { when: 'arguments.to == "nobody" || agent.name == "x"' }],
])("nothing is odd in %s", (_, rule) => {
  expect(odd(rule)).toEqual({ mistaken: [], unknown: [] });
});

const PAY =
  "A rule names a tool as its server calls it: “pay_invoice” of Finance ERP, not “finance-erp__pay_invoice” as agents see it";

test.each<[string, object, Partial<Odd>]>([
  [
    "an agent's name of a tool",
    { tools: ["send", "finance-erp__pay_invoice"] },
    { mistaken: [`tools.1: ${PAY}`] },
  ],
  ["one in a condition", { when: 'tool.name == "finance-erp__pay_invoice"' }, { mistaken: [`when: ${PAY}`] }],
  [
    "the beginning of one",
    { when: 'tool.name.startsWith("finance-erp__pay")' },
    { mistaken: [`when: ${PAY}`] },
  ],
  [
    "one that was made fit for clients",
    { when: 'tool.name.contains("erp__list_invoices")' },
    {
      mistaken: [
        expect.stringMatching(/“list invoices” of Finance ERP, not “finance-erp__list_invoices_\w{6}”/),
      ],
    },
  ],
  [
    "one that no agent has seen yet",
    { tools: ["mail__send"] },
    { mistaken: [expect.stringContaining("“send” of Mail, not “mail__send”")] },
  ],
  [
    "an agent's name of a server",
    { when: 'server.name == "finance-erp"' },
    {
      mistaken: [
        "when: A rule names a server as it is called in Intray: “Finance ERP”, not “finance-erp” as agents see it",
      ],
    },
  ],
  ["a tool that no server has", { tools: ["drop"] }, { unknown: ["tools.0: No tool is called “drop”"] }],
  [
    "a tool that another server has",
    { tools: ["send"], servers: [ERP] },
    { unknown: ["tools.0: No tool of these servers is called “send”"] },
  ],
  [
    "conditions about what is not there",
    { when: 'tool.name in ["drop", "send"] || server.name != "HR" || tool.name.endsWith("_all")' },
    {
      unknown: [
        "when: No tool has a name that ends with “_all”",
        "when: No server is called “HR”",
        "when: No tool is called “drop”",
      ],
    },
  ],
])("%s is odd", (_, rule, expected) => {
  const { mistaken, unknown } = odd(rule);
  expect({ mistaken, unknown: unknown.sort() }).toEqual({
    mistaken: [],
    unknown: [],
    ...expected,
    ...(expected.unknown && { unknown: expected.unknown.sort() }),
  });
});
