/**
 * Finds the choices of a form that are a plain no. One vote for such a choice ends a request of several people. `reject` beside
 * `approve` is a plain no. A bare “no” is not, because its meaning depends on the question, and Intray does not interpret
 * questions. Pure.
 */
import { optionsOf, sentUnder } from "../../mcp/forms/field-kinds.ts";
import type { ChoiceValue, Field, Form } from "../../mcp/forms/form.ts";
import { bareText } from "../../text/foreign/hidden.ts";
import { humanise, splitSent } from "../../text/labels.ts";

const WHAT = "(?: (?:(?:the|this) )?(?:invoice|payment|bill|expense|purchase|order|transfer|request|call))?";
const REFUSES = new RegExp(
  `^(?:reject(?:ed)?|den(?:y|ied)|declined?|refused?|disapproved?)(?: (?:it|this)|${WHAT})$`,
  "i",
);
const CONSENTS = new RegExp(
  `^(?:approved?|accept(?:ed)?|allow(?:ed)?|authori[sz]ed?)(?: (?:it|this)|${WHAT})$`,
  "i",
);
/** Titles and names that only ask for the decision: “Decision”, “Invoice approval”, “Approve INV-7?”. */
const ASKS_TO_DECIDE =
  /^(?:(?:(?:your|the|my|invoice|payment|expense|purchase|order|request|manager|finance|approver) )*(?:decision|choice|answer|response|action|value|verdict|approval|outcome)|(?:approve|accept|allow|authori[sz]e)d?(?: [^,;:.!?]{1,200})?)\??$/i;

/** The values of a field's choices that refuse the request and do nothing else. */
export function plainNosOf(field: Field): ChoiceValue[] {
  if (![field.title, field.name].every((called) => ASKS_TO_DECIDE.test(said(called)))) return [];
  switch (field.kind) {
    case "boolean":
      return CONSENTS.test(said(field.name)) ? [false] : [];
    case "one_of":
      if (!field.options.some(({ value }) => CONSENTS.test(said(String(value))))) return [];
      return field.options
        .filter(({ value, title }) => [String(value), splitSent(title).called].every(refuses))
        .map(({ value }) => value);
    case "text":
    case "number":
    case "several_of":
      return [];
  }
}

/**
 * The values of a form's choices that clearly do nothing. A plain no does, and so does a bare no to a deletion where message, title
 * and descriptions say nothing but that: “Delete report.pdf for good? This can’t be undone.”
 */
export function harmlessOf(form: Form, message: string): ChoiceValue[] {
  if (form.kind !== "supported") return [];
  const [field, ...others] = form.fields;
  if (!field || others.length > 0) return [];
  const plain = plainNosOf(field);
  const called = [field.title, humanise(field.name)].filter((each) => !NAMES_A_DECISION.test(said(each)));
  const texts = [...called, ownDescription(field), form.about ?? "", message];
  if (!isDeletion(message) || !texts.every((text) => text.trim() === "" || isDeletion(text))) return plain;
  if (field.kind === "boolean") return [...plain, false];
  const keeps = optionsOf(field).filter(({ value, title }) =>
    [String(value), splitSent(title).called].every((each) => DOES_NOTHING.test(said(each))),
  );
  return [...new Set([...plain, ...keeps.map(({ value }) => value)])];
}

/** The description as the server wrote it. */
function ownDescription({ name, description }: Field): string {
  const said = description ?? "";
  return said.startsWith(sentUnder(name)) ? said.slice(sentUnder(name).length) : said;
}

const NAMES_A_DECISION =
  /^(?:your )?(?:decision|choice|answer|response|action|value|confirm(?:ed|ation)?|confirm delet(?:e|ion)|proceed|ok|how)$/i;
/** Said alone, to a deletion. */
const DOES_NOTHING =
  /^(?:no|not now|never|later|cancel|stop|skip|leave|keep|do not delete|don.?t delete)(?: (?:it|this|them|all|everything|the (?:files?|records?|data)))?$/i;

const THINGS =
  "files?|records?|rows?|data|reports?|accounts?|users?|tables?|databases?|branch(?:es)?|projects?|documents?|folders?|messages?|environments?";
/** A file, something in quotation marks, or a word with a number. */
const NAME =
  "[\\p{L}\\p{N}_/-]{1,200}\\.\\p{L}[\\p{L}\\p{N}]{1,9}|[“\"'][^“”\"']{1,200}[”\"']|[\\p{L}_-]{0,80}\\d{1,40}";
/** The whole of a sentence: any other word may say how, when or what instead. */
const DELETES = new RegExp(
  `^(?:please confirm: )?(?:(?:shall|should|may) (?:we|i) |do you want (?:me |us )?to |this will )?(?:really |permanently )?(?:delete|purge|erase)(?: (?:the|this|these|all|your|my|our))?(?: (?:${NAME}|(?:\\d{1,12} )?(?:(?:customer|test|old|temporary|log) )?(?:${THINGS})(?: (?:${NAME}))?))(?: with (?:its|their) (?:database|data|files|records))?(?: permanently| for good| forever)?[.?]?$`,
  "iu",
);
const WARNS = /^(?:this|it) (?:can.?t|cannot) be (?:undone|reverted|restored)[.!]?$/i;
const READ_CHARACTERS = 500;

function isDeletion(text: string): boolean {
  const read = bareText(text).trim();
  if (read.length > READ_CHARACTERS) return false;
  const [asks = "", ...more] = read.split(/(?<=[.?!]) +/);
  return DELETES.test(asks) && more.every((sentence) => WARNS.test(sentence));
}

const refuses = (text: string) => REFUSES.test(said(text));

/** A value, title or name as words: `approve_invoice`, “Reject.” */
function said(text: string): string {
  return humanise(bareText(text)).replace(/[.!]$/, "").trim();
}
