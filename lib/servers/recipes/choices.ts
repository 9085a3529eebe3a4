/** A recipe's question as the form of an elicitation, and back: which call an answer is. Pure. */
import { NEED } from "../../mcp/forms/form.ts";
import type { AnswerBody } from "../../mcp/peer.ts";
import type { Choice, RecipeQuestion } from "./recipe-schema.ts";

/** The form's field that names the choice. */
const CHOICE = "choice";
/** An annotation of the form: what the server says about the process, to decide by. */
export const DETAILS = "x-intray-details";

/**
 * The form: a choice, and the fields of all choices, of which those of the choice that is made are sent. Fields of the
 * same name have to be the same (check.ts). A form can't say by itself that a field belongs to some of the choices.
 */
export function formOf({ choices }: Pick<RecipeQuestion, "choices">): Record<string, unknown> {
  const properties: Record<string, unknown> = {
    [CHOICE]: { type: "string", title: "Decision", enum: choices.map(({ label }) => label) },
  };
  const required = [CHOICE];
  for (const [name, field] of choices.flatMap(({ fields }) => Object.entries(fields))) {
    const having = choices.filter(({ fields }) => Object.hasOwn(fields, name));
    const needing = choices.filter((choice) => choice.required.includes(name));
    const isAlwaysNeeded = needing.length === choices.length;
    if (isAlwaysNeeded && !required.includes(name)) required.push(name);
    const need = needing.length > 0 ? `needed for ${labelsOf(needing)}` : `optional, for ${labelsOf(having)}`;
    const hasNeed = !isAlwaysNeeded && (needing.length > 0 || having.length < choices.length);
    properties[name] ??= { ...field, ...(hasNeed && { [NEED]: need }) };
  }
  return { type: "object", properties, required };
}

const labelsOf = (choices: Choice[]) => choices.map(({ label }) => `“${label}”`).join(" or ");

/** Returns the part of an answer that names the choice. */
export function choiceIn(content: Record<string, unknown>): Record<string, unknown> {
  return CHOICE in content ? { [CHOICE]: content[CHOICE] } : content;
}

/** Returns the choice and what was filled in for it, or why the answer is none of the question's; `missing`: what to say at each field that it lacks. */
export function choiceOf(
  { choices }: Pick<RecipeQuestion, "choices">,
  { action, content = {} }: AnswerBody,
):
  | { choice: Choice; answer: Record<string, unknown> }
  | { problem: string; missing?: { field: string; message: string }[] } {
  const labels = choices.map(({ label }) => label).join(", ");
  if (action !== "accept") return { problem: `This question can’t be declined. Choose one of: ${labels}.` };
  const choice = choices.find(({ label }) => label === content[CHOICE]);
  if (!choice) return { problem: `This is none of the choices: ${labels}.` };
  const missing = choice.required.filter((name) => content[name] === undefined || content[name] === "");
  if (missing.length > 0)
    return {
      problem: `${choice.label} needs: ${missing.join(", ")}.`,
      missing: missing.map((field) => ({ field, message: `Needed for ${labelsOf([choice])}` })),
    };
  const names = Object.keys(choice.fields);
  return {
    choice,
    answer: Object.fromEntries(Object.entries(content).filter(([name]) => names.includes(name))),
  };
}
