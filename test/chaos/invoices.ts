/** Plans each invoice from the seed: its start, its cancel, and people's decisions. */
import { between, pick, randomFor } from "./random.ts";

/** Of a server: `approval`, `cost center`. Of Intray: `call`, the approval in front of a call; `request`, what somebody asks people. */
export type QuestionName = "approval" | "cost center" | "call" | "request";
export interface Decision {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

export interface InvoicePlan {
  at: number;
  invoiceId: string;
  startAtMs: number;
  arguments: Record<string, unknown>;
  /** Counted from its start; null: nobody cancels it. */
  cancelAfterMs: number | null;
}

/** How a person treats a question. `twice`: two people answer it at the same moment, differently. */
export interface Manner {
  thinkMs: number;
  way: "plain" | "twice" | "undone" | "held";
  holdMs: number;
}

/** Plans an invoice; the starts of all are spread over `durationMs`. */
export function planInvoice(seed: number, at: number, count: number, durationMs: number): InvoicePlan {
  const random = randomFor(seed, "invoice", at);
  const invoiceId = invoiceNameOf(seed, at);
  const large = random() < 0.25;
  const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, line) => ({
    description: `Line ${line + 1}`,
    amount: large ? 6_000 + at : 100 + at,
    // Some are due during the run; the year 2024 is due at once.
    due_date: random() < 0.1 ? inSeconds(between(random, 20, 90)) : "2024-06-30T00:00:00Z",
  }));
  return {
    at,
    invoiceId,
    startAtMs: ((at + random()) / count) * durationMs,
    arguments: { invoice: { invoice_id: invoiceId, customer: `Customer ${at}`, lines } },
    cancelAfterMs: random() < 0.08 ? between(random, 0, 40_000) : null,
  };
}

export function invoiceNameOf(seed: number, at: number): string {
  return `CHAOS-${seed}-${at}`;
}

/** Returns the number of the invoice named in a question's text, or null if none is. */
export function invoiceNamedIn(seed: number, text: string): number | null {
  const found = new RegExp(`\\bCHAOS-${seed}-(\\d+)\\b`).exec(text);
  return found ? Number(found[1]) : null;
}

export function questionIn(request: { origin: string; gate: unknown; message: string }): QuestionName {
  if (request.origin === "intray") return request.gate === null ? "request" : "call";
  return request.message.includes("cost center") ? "cost center" : "approval";
}

/**
 * The decision of the `attempt`-th try at this question. Successive attempts differ, so that an answer that
 * was undone, or lost a race, differs from the one that counts.
 */
export function decide(seed: number, at: number, question: QuestionName, attempt: number): Decision {
  const random = randomFor(seed, "decision", at, question);
  if (question === "cost center") {
    const content = { cost_center: `CC-${at}-${attempt}`, memo: `Memo of ${invoiceNameOf(seed, at)}` };
    return random() < 0.1 && attempt === 0 ? { action: "decline" } : { action: "accept", content };
  }
  if (question === "call" || question === "request") {
    const first = pick(random, { "0": 0.75, "1": 0.15 }) ?? "3";
    return YES_OR_NO[(Number(first) + attempt) % YES_OR_NO.length] as Decision;
  }
  const ways: Decision[] = [
    { action: "accept", content: { value: "approve" } },
    { action: "accept", content: { value: "reject" } },
    { action: "decline" },
    { action: "cancel" },
  ];
  const first = pick(random, { "0": 0.72, "1": 0.12, "2": 0.1 }) ?? "3";
  return ways[(Number(first) + attempt) % ways.length] as Decision;
}

/** As `decide`, by the choices of the recipe's questions (tunnel.ts). */
export function choose(seed: number, at: number, question: QuestionName, attempt: number): Decision {
  const { action, content } = decide(seed, at, question, attempt);
  if (question === "cost center")
    return {
      action: "accept",
      content: { ...(content ?? { cost_center: `CC-${at}-none` }), choice: "Assign" },
    };
  const choice = action === "accept" ? CHOICES[String(content?.value)] : CHOICES[action];
  return { action: "accept", content: { choice } };
}

const CHOICES: Record<string, string> = {
  approve: "Approve",
  reject: "Reject",
  decline: "Send back",
  cancel: "Hold",
};

/** There is nothing to fill in. */
const YES: Decision = { action: "accept", content: {} };
const YES_OR_NO: Decision[] = [YES, { action: "decline" }, YES, { action: "cancel" }];

export function mannerOf(seed: number, at: number, question: QuestionName): Manner {
  const random = randomFor(seed, "manner", at, question);
  const way = pick(random, { twice: 0.12, undone: 0.08, held: 0.08 }) ?? "plain";
  // A yes or no is soon said, and a call that was approved has its own questions still.
  const mostMs = question === "call" || question === "request" ? 3_000 : 9_000;
  return { thinkMs: between(random, 200, mostMs), way, holdMs: Math.round(between(random, 1_500, 6_000)) };
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}
