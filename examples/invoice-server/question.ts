import { z } from "zod";
import type { State } from "./state.ts";
import type { Invoice } from "./tool.ts";

/** The two questions that the invoice tool asks, and the parsing of their answers. */

/** Keys are unique for the life of a task, so a repeated answer is recognisable. */
export const APPROVAL = "approval-1";
export const COST_CENTER = "cost-center-1";
export type QuestionKey = typeof APPROVAL | typeof COST_CENTER;

export const COST_CENTER_ABOVE_CENTS = 5000_00;

/** `K`: the question keys of a kind of tasks. */
export type Question<K extends string = string> = { key: K; params: ElicitationParams };
export type ElicitationParams = FormParams | UrlParams;
export type FormParams = {
  mode: "form";
  message: string;
  requestedSchema: {
    type: "object";
    properties: Record<string, FormField>;
    required: string[];
  };
};
/** A page to open: the client does not see what a person does there. */
type UrlParams = { mode: "url"; message: string; elicitationId: string; url: string };
type FormField = {
  type: "string" | "boolean" | "number" | "integer";
  title: string;
  description?: string;
  enum?: string[];
  oneOf?: { const: string; title: string }[];
  format?: "date" | "date-time" | "email" | "uri";
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: string | number | boolean;
};

export function questionFor(key: QuestionKey, invoice: Invoice): FormParams {
  const amount = `$${(totalCents(invoice) / 100).toFixed(2)}`;
  if (key === APPROVAL) {
    return {
      mode: "form",
      message:
        `Invoice ${invoice.invoice_id} for ${invoice.customer} (${amount}) requires approval. ` +
        `Lines: ${invoice.lines.length} items.`,
      requestedSchema: {
        type: "object",
        properties: { value: { type: "string", title: "Decision", enum: ["approve", "reject"] } },
        required: ["value"],
      },
    };
  }
  return {
    mode: "form",
    message: `Invoice ${invoice.invoice_id} for ${invoice.customer} (${amount}) exceeds the auto-approval limit. Assign a cost center to release payment.`,
    requestedSchema: {
      type: "object",
      properties: {
        cost_center: {
          type: "string",
          title: "Cost center",
          description: "GL cost-center code, for example CC-1000",
          minLength: 1,
        },
        memo: { type: "string", title: "Memo", description: "Optional note for the audit trail" },
      },
      required: ["cost_center"],
    },
  };
}

/** An ElicitResult as received. */
export const answerSchema = z.looseObject({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});
export type Answer = z.infer<typeof answerSchema>;

const contents = {
  [APPROVAL]: z.object({ value: z.enum(["approve", "reject"]) }),
  [COST_CENTER]: z.object({ cost_center: z.string().trim().min(1), memo: z.string().optional() }),
};

export type Verdict =
  | { valid: true; next: State; reason?: string; content?: Record<string, unknown> }
  | { valid: false; why: string };

/**
 * Interprets an answer. Decline and cancel both reject the invoice: money moves only on an explicit
 * "approve". An accept with missing or unknown content is invalid, so the question stays open.
 */
export function judge(key: QuestionKey, answer: Answer): Verdict {
  if (answer.action !== "accept") {
    const verb = answer.action === "decline" ? "declined" : "cancelled";
    return {
      valid: true,
      next: "REJECTED",
      reason: `the ${key === APPROVAL ? "approval" : "cost center"} was ${verb}`,
    };
  }
  const content = contents[key].safeParse(answer.content);
  if (!content.success) {
    const issues = content.error.issues.map(
      (issue) => `${issue.path.join(".") || "content"}: ${issue.message}`,
    );
    return { valid: false, why: `The content does not fit the requested schema: ${issues.join("; ")}` };
  }
  if ("cost_center" in content.data) return { valid: true, next: "CODED", content: content.data };
  return content.data.value === "approve"
    ? { valid: true, next: "APPROVED", content: content.data }
    : { valid: true, next: "REJECTED", reason: "the approver rejected it", content: content.data };
}

export function totalCents(invoice: Invoice): number {
  return invoice.lines.reduce((sum, line) => sum + cents(line.amount), 0);
}

export function cents(amount: number): number {
  return Math.round(amount * 100);
}
