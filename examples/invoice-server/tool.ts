import { z } from "zod";
import { invalidParams } from "./protocol/rpc.ts";

/** The invoice tool, as both eras describe it. */

export const SERVER_INFO = { name: "invoice-server", title: "Invoice processing", version: "1.0.0" };
/** The `_meta` key of a client's idempotency key, by which a repeated call starts one task. */
export const IDEMPOTENCY_KEY = "intray/idempotency-key";
export const POLL_INTERVAL_MS = 2000;

const dueDate = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .transform((text) => new Date(text).toISOString());

const invoiceSchema = z.object({
  invoice_id: z.string().trim().min(1).max(100),
  customer: z.string().trim().min(1).max(200),
  lines: z
    .array(
      z.object({
        description: z.string().trim().min(1).max(500),
        amount: z.number().min(0.01).max(1_000_000_000),
        due_date: dueDate,
      }),
    )
    .min(1)
    .max(200),
});

export type Invoice = z.infer<typeof invoiceSchema>;

const toolArguments = z.object({ invoice: invoiceSchema });
const callParams = z.object({
  name: z.literal("process_invoice", "Unknown tool"),
  arguments: z.unknown(),
  _meta: z.looseObject({ [IDEMPOTENCY_KEY]: z.string().min(1).max(500).optional() }).optional(),
});

export const processInvoice = {
  name: "process_invoice",
  title: "Process an invoice",
  description:
    "Validates an invoice against the ERP, asks a person to approve it, and pays each line on its due date. " +
    "Invoices above $5,000 also need a cost center. Runs as a task and may take months.",
  inputSchema: {
    type: "object" as const,
    required: ["invoice"],
    properties: {
      invoice: {
        type: "object",
        title: "Invoice",
        required: ["invoice_id", "customer", "lines"],
        properties: {
          invoice_id: { type: "string", title: "Invoice number", minLength: 1, maxLength: 100 },
          customer: { type: "string", title: "Customer", minLength: 1, maxLength: 200 },
          lines: {
            type: "array",
            title: "Lines",
            minItems: 1,
            maxItems: 200,
            items: {
              type: "object",
              title: "Line",
              required: ["description", "amount", "due_date"],
              properties: {
                description: { type: "string", title: "Description", minLength: 1, maxLength: 500 },
                amount: { type: "number", title: "Amount in US dollars", minimum: 0.01, maximum: 1e9 },
                due_date: {
                  type: "string",
                  title: "Due date",
                  format: "date-time",
                  description: "The line is paid at this moment; at once if it has passed.",
                },
              },
            },
          },
        },
      },
    },
  },
  outputSchema: {
    type: "object" as const,
    required: ["invoiceId", "customer", "status", "total", "lines"],
    properties: {
      invoiceId: { type: "string" },
      customer: { type: "string" },
      status: { type: "string", enum: ["PAID", "REJECTED", "FAILED"] },
      reason: { type: "string", description: "Why the invoice was not paid." },
      total: { type: "number" },
      costCenter: { type: "string" },
      memo: { type: "string" },
      lines: {
        type: "array",
        items: {
          type: "object",
          required: ["line", "description", "amount", "dueDate"],
          properties: {
            line: { type: "integer" },
            description: { type: "string" },
            amount: { type: "number" },
            dueDate: { type: "string" },
            paidAt: { type: "string" },
            reference: { type: "string", description: "The payment's reference at the bank." },
            failure: { type: "string" },
          },
        },
      },
    },
  },
  // A payment adds to the books and destroys nothing; the same call twice without a key pays two invoices.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  _meta: { [IDEMPOTENCY_KEY]: true },
};

/**
 * Returns the invoice and the idempotency key of a `tools/call`. Throws -32602 with every issue in `data`.
 */
export function parseCall(params: unknown): { invoice: Invoice; key: string | null } {
  const call = parse(callParams, params, "Invalid tools/call");
  const { invoice } = parse(toolArguments, call.arguments, "Invalid arguments for process_invoice");
  return { invoice, key: call._meta?.[IDEMPOTENCY_KEY] ?? null };
}

/** Returns the idempotency key of a `tools/call` of any tool, or null. Throws -32602. */
export function idempotencyKeyOf(params: unknown): string | null {
  return (
    parse(callParams.pick({ _meta: true }), params, "Invalid tools/call")._meta?.[IDEMPOTENCY_KEY] ?? null
  );
}

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw invalidParams(`${what}: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}`, {
    issues,
  });
}
