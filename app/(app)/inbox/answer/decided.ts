import { decisionOn } from "@/lib/requests/answers/form-buttons.ts";
import type { AnswerInput, DraftInput } from "@/lib/requests/request-input-schema.ts";
import type { Draft, InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { sentValues } from "@/lib/requests/words/answer-values.ts";
import { openStageOf } from "@/lib/requests/words/vote-words.ts";
import type { AnswerError } from "./answer-error.ts";

export type Decided = Pick<
  AnswerInput,
  "action" | "content" | "comment" | "anyWording" | "proposes" | "revise" | "standing"
>;

/** A decision that the server did not record. */
export interface Refused {
  /** Of the question that was decided on. */
  questionHash: string;
  decided: Decided;
  error: AnswerError;
  /** What was typed, to go on with; null: nothing. */
  draft: Draft | null;
}

/** Returns `Approved INV-100`, or `Declined “Not ours” · INV-100`. */
export function namedDecision(words: string, name: string): string {
  return `${words}${words.endsWith("”") ? " ·" : ""} ${name}`;
}

/** Returns what a decision was where others have to agree before there is an answer. */
export function votedWords(approval: InputRequestDetail["approval"], name: string): string {
  const said = approval?.mine?.agrees === false ? "rejected" : "agreed";
  return `You ${said}: ${name}. Waiting for ${openStageOf(approval ?? { stages: [] })}.`;
}

/**
 * Returns the draft that an undo restores: the form's values and the comment. A one-press choice is not kept.
 */
export function draftOf(
  question: Pick<InputRequestDetail, "fields" | "origin" | "gate" | "tool">,
  { content, comment }: Pick<Decided, "content" | "comment">,
): DraftInput | null {
  const isForm = decisionOn(question).kind === "form";
  const filled = isForm && content ? sentValues(question.fields, content) : {};
  if (Object.keys(filled).length === 0 && !comment) return null;
  return { content: filled, ...(comment && { comment }) };
}
