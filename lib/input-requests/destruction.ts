/** What of a question destroys something. Pure. */
import type { Form } from "../mcp/forms/form.ts";
import { humanise } from "../text/labels.ts";
import { type Choice, isNo } from "./decision.ts";

/** Words of destruction with their inflections, and the verb that names each. */
const DESTRUCTIVE: [RegExp, string][] = [
  [/\bdelet(e|es|ed|ing|ion)\b/i, "delete"],
  [/\bremov(e|es|ed|ing|al)\b/i, "remove"],
  [/\bpurg(e|es|ed|ing)\b/i, "purge"],
  [/\bdrop(s|ped|ping)?\b/i, "drop"],
  [/\bdestr(oy|oys|oyed|oying|uction)\b/i, "destroy"],
  [/\bwip(e|es|ed|ing)\b/i, "wipe"],
  [/\beras(e|es|ed|ing|ure)\b/i, "erase"],
  [/\btruncat(e|es|ed|ing|ion)\b/i, "truncate"],
  [/\bterminat(e|es|ed|ing|ion)\b/i, "terminate"],
  [/\brevok(e|es|ed|ing)\b/i, "revoke"],
  [/\brevocation\b/i, "revoke"],
];

function destructiveWord(text: string): string | null {
  return DESTRUCTIVE.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/**
 * Returns the verb of what an answer destroys, e.g. `delete`, or null. Both have to say so: the tool, by its
 * hint or, where it gives none, by its name; and the question, by its message, its form's labels or the name
 * of its tool. A hint alone stands on every routine question of the tool, where nobody would read a warning.
 */
export function destructionOf(question: {
  /** The tool's own untrusted claim; null if unknown. */
  destructive: boolean | null;
  tool: string;
  message: string;
  form: Form;
}): string | null {
  const byTool = question.destructive ?? destructiveWord(humanise(question.tool)) !== null;
  if (!byTool) return null;
  const fields = question.form.kind === "supported" ? question.form.fields : [];
  const labels = fields.flatMap((field) => [
    humanise(field.name),
    field.title,
    field.description ?? "",
    ...("options" in field ? field.options.map((option) => option.title) : []),
  ]);
  for (const text of [question.message, ...labels, humanise(question.tool)]) {
    const word = destructiveWord(text);
    if (word) return word;
  }
  return null;
}

const SAFE = /^(no|not|never|none|keep|retain|preserve|skip|abort|cancel|stop|leave|later|don.?t|do not)\b/i;

/**
 * Whether this choice of a destructive question may destroy something: every choice does that is not clearly
 * a no.
 */
export function mayDestroy(choice: Choice): boolean {
  const [only] = Object.entries(choice.content);
  // “Keep the file?” is answered with no to destroy the file.
  if (typeof only?.[1] === "boolean") return SAFE.test(humanise(only[0])) ? !only[1] : only[1];
  return !isNo(choice) && !SAFE.test(choice.label);
}
