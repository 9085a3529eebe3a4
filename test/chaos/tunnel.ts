/** The pair server without tasks: tools that answer at once, and the recipe that makes a task with two questions of them. */

export const TUNNEL_PATH = "/tunnel";

const text = { type: "string" };
const tool = (
  name: string,
  properties: Record<string, unknown>,
  required: string[],
  annotations: Record<string, boolean>,
) => ({ name, inputSchema: { type: "object", properties, required }, annotations });

/** A decision may be told twice: the first counts. So no person is asked twice, which the judge would take for a doubled answer. */
const AGAIN = { idempotentHint: true };

export const TUNNEL_TOOLS = [
  {
    ...tool("submit_invoice", { invoice: { type: "object" } }, ["invoice"], {}),
    _meta: { "intray/idempotency-key": true },
  },
  tool("get_invoice_status", { reference: text }, ["reference"], { readOnlyHint: true }),
  tool("decide_invoice", { reference: text, choice: text }, ["reference", "choice"], AGAIN),
  tool(
    "assign_cost_center",
    { reference: text, choice: text, cost_center: text, memo: text },
    ["reference", "choice", "cost_center"],
    AGAIN,
  ),
  tool("cancel_invoice", { reference: text }, ["reference"], AGAIN),
];

const decide = (label: string) => ({
  label,
  tool: "decide_invoice",
  // The ledger has what was decided, as people gave it.
  arguments: { reference: "handle", choice: `'${label}'` },
});

export const TUNNEL_RECIPE = {
  name: "process_invoice",
  start: { tool: "submit_invoice", handle: "result.structuredContent.reference" },
  status: {
    tool: "get_invoice_status",
    arguments: { reference: "handle" },
    everyMs: 1_000,
    state: "result.structuredContent.status",
    working: ["OPEN"],
    completed: ["PAID"],
    cancelled: ["CANCELLED"],
  },
  questions: [
    {
      when: "'approval-1' in result.structuredContent.waiting",
      message: "'Invoice ' + result.structuredContent.invoice_id + ' requires approval.'",
      choices: ["Approve", "Reject", "Send back", "Hold"].map(decide),
    },
    {
      when: "'cost-center-1' in result.structuredContent.waiting",
      message: "'Assign a cost center to invoice ' + result.structuredContent.invoice_id + '.'",
      choices: [
        {
          label: "Assign",
          tool: "assign_cost_center",
          arguments: {
            reference: "handle",
            choice: "'Assign'",
            cost_center: "answer.cost_center",
            memo: "has(answer.memo) ? answer.memo : null",
          },
          fields: { cost_center: text, memo: text },
          required: ["cost_center"],
        },
      ],
    },
  ],
  cancel: { tool: "cancel_invoice", arguments: { reference: "handle" } },
};
