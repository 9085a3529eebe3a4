/** What of a question destroys something. Pure. */
import { optionsOf } from "../mcp/forms/field-kinds.ts";
import type { Form } from "../mcp/forms/form.ts";
import { bareText } from "../text/foreign/hidden.ts";
import { humanise } from "../text/labels.ts";

/** Words of destruction with their inflections; the first three letters tell the verb. */
const DESTRUCTIVE =
  /\b(delet(e[sd]?|ing|ion)|remov(e[sd]?|ing|al)|purg(e[sd]?|ing)|drop(s|p?ed|ping)?|destr(oy(s|ed|ing)?|uction)|wip(e[sd]?|ing)|eras(e[sd]?|ing|ure)|truncat(e[sd]?|ing|ion)|terminat(e[sd]?|ing|ion)|revo(k(e[sd]?|ing)|cation))\b/i;
const DESTROYING = "delete remove purge drop destroy wipe erase truncate terminate revoke".split(" ");

function destructiveWord(text: string): string | null {
  const word = DESTRUCTIVE.exec(bareText(text))?.[0].toLowerCase();
  return DESTROYING.find((verb) => word?.startsWith(verb.slice(0, 3))) ?? null;
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
    ...optionsOf(field).map(({ title }) => title),
  ]);
  for (const text of [question.message, ...labels, humanise(question.tool)]) {
    const word = destructiveWord(text);
    if (word) return word;
  }
  return null;
}

/** “Delete records”, “Allow deletion”, and not “Mark for deletion”, whose no may delete without a mark. */
export function destroysFirst(field: string): boolean {
  const words = field.replace(/^((allow|permit|really|permanently|hard|force|do|should) )+/i, "");
  return destructiveWord(words.split(" ")[0] ?? "") !== null;
}
