/** A recipe's question as the form of an elicitation, and back: which call an answer is. Pure. */
import type { AnswerBody } from "../../mcp/peer.ts";
import type { Choice, RecipeQuestion } from "./schema.ts";

/** The form's field that names the choice. */
const CHOICE = "choice";
/** An annotation of the form: what the server says about the process, to decide by. */
export const DETAILS = "x-intray-details";

/**
 * The form: a choice, and the fields of all choices, of which those of the choice that is made are sent. Fields of the
 * same name have to be the same (check.ts).
 */
export function formOf({ choices }: Pick<RecipeQuestion, "choices">): Record<string, unknown> {
  const [only, ...others] = choices;
  const properties: Record<string, unknown> = {
    [CHOICE]: { type: "string", title: "Decision", enum: choices.map(({ label }) => label) },
  };
  for (const { label, fields, required } of choices)
    for (const [name, field] of Object.entries(fields)) {
      // A form can't say that a field belongs to one of the choices.
      const note =
        others.length === 0 ? [] : [required.includes(name) ? `Needed to ${label}` : `To ${label}`];
      const described = [field.description, ...note].filter((text) => typeof text === "string").join(". ");
      properties[name] ??= { ...field, ...(described !== "" && { description: described }) };
    }
  const required = [CHOICE, ...(others.length === 0 ? (only?.required ?? []) : [])];
  return { type: "object", properties, required };
}

/** Returns the choice and what was filled in for it, or why the answer is none of the question's; `missing`: fields that it lacks. */
export function choiceOf(
  { choices }: Pick<RecipeQuestion, "choices">,
  { action, content = {} }: AnswerBody,
): { choice: Choice; answer: Record<string, unknown> } | { problem: string; missing?: string[] } {
  const labels = choices.map(({ label }) => label).join(", ");
  if (action !== "accept") return { problem: `This question can't be declined. Choose one of: ${labels}.` };
  const choice = choices.find(({ label }) => label === content[CHOICE]);
  if (!choice) return { problem: `This is none of the choices: ${labels}.` };
  const missing = choice.required.filter((name) => content[name] === undefined || content[name] === "");
  if (missing.length > 0) return { problem: `${choice.label} needs: ${missing.join(", ")}.`, missing };
  const names = Object.keys(choice.fields);
  return {
    choice,
    answer: Object.fromEntries(Object.entries(content).filter(([name]) => names.includes(name))),
  };
}
