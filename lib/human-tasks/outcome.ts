/** What became of a question that a program put to people, as the tool's result. Pure. */
import type { Action } from "../input-requests/schema.ts";
import type { HumanOutcome } from "./schema.ts";

export interface Decision {
  action: Action;
  content: Record<string, unknown> | null;
  comment: string | null;
  by: { id: string | null; name: string };
  at: Date;
}

/** Null: the time ran out. Nothing but an acceptance is a consent. */
export function outcomeOfDecision(decision: Decision | null, endedAt: Date): HumanOutcome {
  if (!decision) return { outcome: "expired", at: endedAt.toISOString() };
  const { action, content, comment, by, at } = decision;
  const who = { by: { id: by.id ?? "", name: by.name }, at: at.toISOString() };
  if (action === "accept")
    return { outcome: "answered", content: content ?? {}, ...who, ...(comment && { comment }) };
  return { outcome: "declined", ...who, ...(comment && { reason: comment }) };
}

/** The `CallToolResult` of a human tool. */
export function resultOf(tool: string, outcome: HumanOutcome): Record<string, unknown> {
  return { content: [{ type: "text", text: wordsOf(tool, outcome) }], structuredContent: outcome };
}

function wordsOf(tool: string, { outcome, by, reason, content, comment }: HumanOutcome): string {
  if (outcome === "expired") return "Nobody decided in time. Silence is no consent: take it for a no.";
  if (outcome === "declined") return `${by?.name} declined${reason ? `: ${reason}` : "."}`;
  const given = Object.keys(content ?? {}).length > 0 ? `: ${JSON.stringify(content)}` : ".";
  const verb = tool === "request_approval" ? "approved" : "answered";
  return `${by?.name} ${verb}${given}${comment ? `\n${by?.name} said: ${comment}` : ""}`;
}
