/** Checks a recipe before it is saved: that its expressions can be read, and its questions shown. Pure. */
import type { FieldError } from "../../base/errors.ts";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { formOf } from "./choices.ts";
import { LANGUAGES, type Place } from "./judge.ts";
import type { Recipe } from "./recipe-schema.ts";

/** Returns what is wrong, by the place in the recipe; nothing: it may be saved. */
export function problemsOf(recipe: Recipe): FieldError[] {
  const problems: FieldError[] = [];
  const value = (place: Place, field: string, text: string | undefined) => {
    const read = text === undefined ? null : LANGUAGES[place].readValue(text);
    if (read && "problem" in read) problems.push({ field, message: wordsOf(read.problem) });
  };
  const values = (place: Place, field: string, given: Record<string, string> | undefined) => {
    for (const [name, text] of Object.entries(given ?? {})) value(place, `${field}.${name}`, text);
  };
  const { start, status, questions, cancel } = recipe;
  values("start", "start.arguments", start.arguments);
  value("handle", "start.handle", start.handle);
  values("call", "status.arguments", status.arguments);
  value("state", "status.state", status.state);
  value("status", "status.message", status.message);
  values("call", "cancel.arguments", cancel?.arguments);
  for (const [at, question] of questions.entries()) {
    const field = `questions.${at}`;
    const when = LANGUAGES.status.read(question.when);
    if ("problem" in when) problems.push({ field: `${field}.when`, message: wordsOf(when.problem) });
    value("status", `${field}.message`, question.message);
    value("status", `${field}.details`, question.details);
    for (const [which, choice] of question.choices.entries())
      values("choice", `${field}.choices.${which}.arguments`, choice.arguments);
    problems.push(...problemsOfForm(question, field));
  }
  return problems;
}

function problemsOfForm(question: Recipe["questions"][number], field: string): FieldError[] {
  const seen = new Map<string, string>();
  for (const [which, { fields }] of question.choices.entries())
    for (const [name, given] of Object.entries(fields)) {
      const path = `${field}.choices.${which}.fields.${name}`;
      if (name === "choice") return [{ field: path, message: "A field can’t be called “choice”" }];
      const text = JSON.stringify(given);
      if ((seen.get(name) ?? text) !== text)
        return [{ field: path, message: "Another choice has another field of this name" }];
      seen.set(name, text);
    }
  const form = normaliseForm(formOf(question));
  return form.kind === "supported" ? [] : [{ field: `${field}.choices`, message: form.reason }];
}

function wordsOf({ message, at }: { message: string; at: number | null }): string {
  return at === null ? message : `${message} (at character ${at + 1})`;
}
