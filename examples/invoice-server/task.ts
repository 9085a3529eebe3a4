/** A task as stored, and its two representations on the wire. */
import type { Question, QuestionKey } from "./question.ts";
import type { State } from "./state.ts";
import type { Invoice } from "./tool.ts";

export type InvoiceTask = {
  taskId: string;
  invoice: Invoice;
  state: State;
  /** The open question; null without one. */
  question: Question<QuestionKey> | null;
  questionExpiresAt: Date | null;
  reason: string | null;
  /** The tool's result, once PAID, REJECTED or FAILED. */
  result: ToolResult | null;
  /** Set instead of a result when nobody answered in time. */
  error: { code: number; message: string } | null;
  linesPaid: number;
  linesFailed: number;
  ttlMs: number;
  createdAt: Date;
  /** Changes only with a change that clients can see. */
  updatedAt: Date;
};

export type ToolResult = {
  content: { type: "text"; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
};

export function statusMessage(task: InvoiceTask): string {
  const paying = task.state === "PAYING" || (task.state === "FAILED" && task.linesFailed > 0);
  const details = [
    paying && `${task.linesPaid} of ${task.invoice.lines.length} lines paid`,
    task.state === "PAYING" && task.linesFailed > 0 && `${task.linesFailed} failed`,
    task.reason,
  ];
  return [`Invoice status: ${task.state}`, details.filter(Boolean).join(", ")].filter(Boolean).join(" · ");
}

/** `failed` differs: 2025-11-25 counts a result with `isError` as failed, 2026-07-28 only a JSON-RPC error. */
export function taskStatus(task: InvoiceTask, era: "2025-11-25" | "2026-07-28") {
  switch (task.state) {
    case "PENDING-APPROVAL":
    case "PENDING-COST-CENTER":
      return "input_required";
    case "PAID":
    case "REJECTED":
      return "completed";
    case "FAILED":
      return era === "2025-11-25" || task.error ? "failed" : "completed";
    case "CANCELLED":
      return "cancelled";
    default:
      return "working";
  }
}
