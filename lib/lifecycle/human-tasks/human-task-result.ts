/** What became of a question that a program put to people, as the tool's result. Pure. */

import type { Form } from "../../mcp/forms/form.ts";
import { withholdsConsent } from "../../requests/answers/rejection.ts";
import type { Action } from "../../requests/request-schema.ts";
import type { HumanOutcome } from "./human-task-schema.ts";

export interface Decision {
  form: Form;
  action: Action;
  content: Record<string, unknown> | null;
  comment: string | null;
  /** It is declined, and another request is asked for, as the comment says. */
  revise: boolean;
  by: { id: string | null; name: string };
  at: Date;
}

/** Null: the time ran out. Only an acceptance is consent, and for an approval only if the form says no nowhere. */
export function outcomeOfDecision(tool: string, decision: Decision | null, endedAt: Date): HumanOutcome {
  if (!decision) return { outcome: "expired", at: endedAt.toISOString() };
  const { form, action, content, comment, revise, by, at } = decision;
  const who = { by: { id: by.id ?? "", name: by.name }, at: at.toISOString() };
  if (action === "accept" && !(isApproval(tool) && withholdsConsent(form, action, content)))
    return { outcome: "answered", content: content ?? {}, ...who, ...(comment && { comment }) };
  return {
    outcome: "declined",
    ...(revise && { revise }),
    ...(content && { content }),
    ...who,
    ...(comment && { reason: comment }),
  };
}

function isApproval(tool: string): boolean {
  return tool === "request_approval";
}

/** The `CallToolResult` of a human tool. The words stand in both parts: Claude Code's model reads only the structured one. */
export function resultOf(tool: string, outcome: HumanOutcome): Record<string, unknown> {
  const message = wordsOf(tool, outcome);
  return { content: [{ type: "text", text: message }], structuredContent: { ...outcome, message } };
}

function wordsOf(tool: string, { outcome, revise, by, reason, content, comment }: HumanOutcome): string {
  if (revise)
    return `${by?.name} asks you to revise this: ${reason}\nIt is not ${isApproval(tool) ? "approved" : "answered"}. Change it as they say, then call ${tool} again.`;
  if (outcome === "expired") return "Nobody decided in time. Silence is no consent: take it for a no.";
  const given = Object.keys(content ?? {}).length > 0 ? JSON.stringify(content) : null;
  if (outcome === "declined" && given === null) return `${by?.name} declined${reason ? `: ${reason}` : "."}`;
  const verb = outcome === "declined" ? "declined" : isApproval(tool) ? "approved" : "answered";
  const said = comment ?? reason;
  return `${by?.name} ${verb}${given === null ? "." : `: ${given}`}${said ? `\n${by?.name} said: ${said}` : ""}`;
}
