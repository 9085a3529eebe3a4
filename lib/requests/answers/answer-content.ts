/** What an answer to a request may be, and what it says: its action, and the content of its form. */
import { createHash } from "node:crypto";
import { AppError } from "../../base/errors.ts";
import { validateContent } from "../../mcp/forms/content.ts";
import { isTyped } from "../../mcp/forms/field-kinds.ts";
import { type Field, type Form, formSchema } from "../../mcp/forms/form.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { shownOf } from "../../mcp/forms/shown.ts";
import type { Question } from "../../mcp/peer.ts";
import type { LockedRequest } from "../lock-request.ts";
import type { AnswerInput } from "../request-input-schema.ts";
import { type Action, actionSchema } from "../request-schema.ts";

/** Returns what an answer may be. `isShown`: people see the whole form, without which nobody can accept. */
export function actionsFor(
  request: Pick<LockedRequest, "isRecipes" | "origin"> & { isShown: boolean },
): Action[] {
  return actionSchema.options.filter((action) =>
    action === "accept" ? request.isShown : isDeclinable(request),
  );
}

/** Of a recipe's question only a choice is an answer: no tool of the server would be told of a decline. */
export function isDeclinable({ isRecipes, origin }: Pick<LockedRequest, "isRecipes" | "origin">): boolean {
  // An approval in front of a recipe's start is Intray's own question.
  return !isRecipes || origin !== "server";
}

export function checkedContent(
  request: Pick<LockedRequest, "mode" | "form">,
  input: Pick<AnswerInput, "action" | "content">,
): Record<string, unknown> | null {
  if (input.action !== "accept" || request.mode === "url") {
    if (input.content && Object.keys(input.content).length > 0)
      throw new AppError("invalid_content", "Only an accepted form carries content.", {
        errors: [{ field: "content", message: "Leave it out." }],
      });
    if (input.action === "accept") acceptable(request);
    return null;
  }
  const form = acceptable(request);
  const content = input.content ?? {};
  const checked = validateContent(form, content);
  if (!checked.ok)
    throw new AppError("invalid_content", "The answer does not fit the question.", {
      errors: checked.errors,
    });
  return content;
}

/** Whether an answer to another wording suits this question: same mode, and content that this form takes. */
export function answerFits(
  given: { mode: string; action: string; content: Record<string, unknown> | null },
  question: Question,
): boolean {
  if (given.mode !== question.mode) return false;
  if (given.action !== "accept") return true;
  const content = given.content ?? {};
  try {
    checkedContent({ mode: question.mode, form: shownOf(question).form }, { action: "accept", content });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Returns the form, if the question can be shown whole. Throws `unsupported_form` otherwise. */
function acceptable(request: Pick<LockedRequest, "form">): Form & { kind: "supported" } {
  const form = formSchema.parse(request.form);
  if (form.kind !== "supported") throw new AppError("unsupported_form", form.reason);
  return form;
}

/** SHA-256 of exactly what would be sent. */
export function contentDigest(action: string, content: unknown): string {
  return createHash("sha256")
    .update(canonicalJson({ v: 1, action, content }))
    .digest("hex");
}

/**
 * Returns the field that says what was decided, if the form has one alone; null if it has none. Of several fields a list: of
 * the one that was answered alone, or of none.
 */
export function decidedFieldOf(
  request: Pick<LockedRequest, "form">,
  content: Record<string, unknown> | null,
): Field | Field[] | null {
  const form = formSchema.parse(request.form);
  const fields = form.kind === "supported" ? form.fields : [];
  if (fields.length < 2) return fields[0] ?? null;
  const [name, ...others] = Object.keys(content ?? {});
  return fields.filter((field) => field.name === name && others.length === 0);
}

/**
 * The part of a draft's content that belongs to the form. A form that can't be shown, such as one for a
 * secret, keeps none.
 */
export function knownContent(
  request: LockedRequest,
  content: Record<string, unknown>,
  which: "all" | "typed",
): Record<string, unknown> {
  const form = formSchema.parse(request.form);
  if (form.kind !== "supported" && Object.keys(content).length > 0)
    throw new AppError("unsupported_form", form.reason);
  return which === "typed" ? typedContent(form, content) : pickFields(content, fieldsOf(form));
}

/** The texts and numbers of a draft, without its choices: after a rewording, the same choice may have another title. */
export function typedContent(form: Form, content: Record<string, unknown>): Record<string, unknown> {
  return pickFields(content, fieldsOf(form).filter(isTyped));
}

const fieldsOf = (form: Form) => (form.kind === "supported" ? form.fields : []);

function pickFields(content: Record<string, unknown>, fields: { name: string }[]): Record<string, unknown> {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(content).filter(([name]) => names.has(name)));
}
