import { ProtocolError, Server, type Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Invoice, Store } from "./store.ts";

/** The four tools. Each answers at once; that the process takes days, a client has to know by itself. */

const submitted = z.object({
  invoice_id: z.string().min(1).max(100),
  customer: z.string().min(1).max(200),
  amount: z.number().positive(),
  currency: z.string().length(3).default("USD"),
});
const one = z.object({ reference: z.string() });
const rejected = one.extend({ reason: z.string().max(500).nullish() });

const reference = { type: "string", description: "As submit_invoice has returned it" };
const TOOLS: Tool[] = [
  {
    name: "submit_invoice",
    title: "Submit an invoice",
    description: "Submits an invoice for payment and returns its reference. Each call submits another one.",
    inputSchema: {
      type: "object",
      properties: {
        invoice_id: { type: "string", title: "Invoice" },
        customer: { type: "string", title: "Customer" },
        amount: { type: "number", title: "Amount", exclusiveMinimum: 0 },
        currency: { type: "string", title: "Currency", minLength: 3, maxLength: 3, default: "USD" },
      },
      required: ["invoice_id", "customer", "amount"],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  {
    name: "get_invoice_status",
    title: "Look at an invoice",
    description: "Returns an invoice and its status.",
    inputSchema: { type: "object", properties: { reference }, required: ["reference"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "approve_invoice",
    title: "Approve an invoice",
    description: "Approves an invoice that is pending approval. It is paid then.",
    inputSchema: { type: "object", properties: { reference }, required: ["reference"] },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  },
  {
    name: "reject_invoice",
    title: "Reject an invoice",
    description: "Rejects an invoice that is pending approval.",
    inputSchema: {
      type: "object",
      properties: { reference, reason: { type: "string" } },
      required: ["reference"],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
];

export function createTools(store: Store): Server {
  const server = new Server(
    { name: "tunnelled-invoice-server", version: "1.0.0" },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const { name, arguments: args } = params;
    if (name === "submit_invoice") return replyWith(await store.submit(parse(submitted, args)));
    if (name === "get_invoice_status") {
      const { reference } = parse(one, args);
      return replyWith(await store.read(reference), `There is no invoice ${reference}.`);
    }
    if (name === "approve_invoice" || name === "reject_invoice") {
      const { reference, reason = null } = parse(rejected, args);
      const decision = name === "approve_invoice" ? "approved" : "rejected";
      const decided = await store.decide(reference, decision, reason);
      return replyWith(decided, `The invoice ${reference} is not pending approval.`);
    }
    throw new ProtocolError(-32602, `Unknown tool: ${name}`);
  });
  return server;
}

function parse<T>(schema: z.ZodType<T>, args: unknown): T {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolError(-32602, `${issue?.path.join(".")}: ${issue?.message}`);
}

function replyWith(invoice: Invoice | null, otherwise = "") {
  if (!invoice) return { content: [{ type: "text" as const, text: otherwise }], isError: true };
  return {
    content: [{ type: "text" as const, text: JSON.stringify(invoice) }],
    structuredContent: { ...invoice },
  };
}
