/** What of a question destroys something. Pure. */
import type { Form } from "../mcp/forms/form.ts";
import { humanise } from "../text/labels.ts";
import type { Choice } from "./decision.ts";

/** Words of destruction with their inflections; the first three letters tell the verb. */
const DESTRUCTIVE =
  /\b(delet(e[sd]?|ing|ion)|remov(e[sd]?|ing|al)|purg(e[sd]?|ing)|drop(s|p?ed|ping)?|destr(oy(s|ed|ing)?|uction)|wip(e[sd]?|ing)|eras(e[sd]?|ing|ure)|truncat(e[sd]?|ing|ion)|terminat(e[sd]?|ing|ion)|revo(k(e[sd]?|ing)|cation))\b/i;
const VERBS = "delete remove purge drop destroy wipe erase truncate terminate revoke".split(" ");

function destructiveWord(text: string): string | null {
  const word = DESTRUCTIVE.exec(text)?.[0].toLowerCase();
  return VERBS.find((verb) => word?.startsWith(verb.slice(0, 3))) ?? null;
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

/** Does nothing when it is said alone; “Cancel subscription” and “Skip backup” do something. */
const ALONE =
  /^(no|none|never|not now|not yet|later|cancel|stop|abort|skip|leave)( (it|this|that|them|as is|alone|for now|thanks|thank you))*$/i;
/** Refuses, or keeps, what follows. */
const REFUSAL =
  /^(no )?(reject|deny|denied|disapprove|refuse|decline|keep|retain|preserve|do not|don.?t|never)\b/i;
/** Values that say no whatever the label's language. */
const PLAIN_NO = /^(no|reject(ed)?|deny|denied|disapproved?|refused?|declined?)$/i;
/** “Do not delete”: the one place where a word of destruction is harmless. */
const NOT_DONE = /\b(do not|don.?t|never) (\w+)/gi;
/** “Keep only the last three”, “Reject and archive”: more happens than the first word says. */
const MORE = /\d|\b(and|then|but|except|only|just|last|latest|newest|nothing|none of)\b/i;
/** A field of such a name is about not doing something: its no does it. */
const NEGATIVE_NAME =
  /\b(no|not|never|without|keep|retain|preserve|skip|abort|cancel|stop|hold|leave|block|prevent|avoid|refuse|reject|deny|decline|don.?t)\b/i;

/**
 * Whether a choice clearly does nothing, so that one press may decide it although the question destroys
 * something or its figures differ. In doubt it is not.
 */
export function isHarmless({ label, content }: Pick<Choice, "label" | "content">): boolean {
  const [[name, value] = ["", null]] = Object.entries(content);
  const field = humanise(name);
  if (value === true) return saysNo(field);
  if (NEGATIVE_NAME.test(field)) return value !== false && REFUSAL.test(label) && saysNo(label);
  if (value === false) return true;
  return saysNo(label) || (PLAIN_NO.test(String(value)) && !destructiveWord(label) && !MORE.test(label));
}

function saysNo(text: string): boolean {
  const words = text.replace(/[^\p{L}\p{N}’']+/gu, " ").trim();
  let undone = true;
  const rest = words.replace(NOT_DONE, (_, _not, verb: string) => {
    undone &&= destructiveWord(verb) !== null || GOES_ON.test(verb);
    return "";
  });
  return undone && (ALONE.test(words) || REFUSAL.test(words)) && !destructiveWord(rest) && !MORE.test(words);
}

/** “Do not proceed” refuses; “Do not keep it” does not. */
const GOES_ON = /^(do|proceed|continue|go|run|start|approve|allow|send|pay|change|touch)$/i;
