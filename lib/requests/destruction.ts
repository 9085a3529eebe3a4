/** What of a question destroys something. Pure. */
import { optionsOf } from "../mcp/forms/field-kinds.ts";
import type { Form } from "../mcp/forms/form.ts";
import { bareText } from "../text/foreign/hidden.ts";
import { affirms, asksForNo, isJustNo, isTurned, mayTurn, saysJust } from "../text/foreign/yes-no.ts";
import { humanise } from "../text/labels.ts";

/** Words of destruction with their inflections; the first three letters tell the verb. */
const DESTRUCTIVE =
  /\b(delet(e[sd]?|ing|ion)|remov(e[sd]?|ing|al)|purg(e[sd]?|ing)|drop(s|p?ed|ping)?|destr(oy(s|ed|ing)?|uction)|wip(e[sd]?|ing)|eras(e[sd]?|ing|ure)|truncat(e[sd]?|ing|ion)|terminat(e[sd]?|ing|ion)|revo(k(e[sd]?|ing)|cation))\b/i;
const VERBS = "delete remove purge drop destroy wipe erase truncate terminate revoke".split(" ");

function destructiveWord(text: string): string | null {
  const word = DESTRUCTIVE.exec(bareText(text))?.[0].toLowerCase();
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
    ...optionsOf(field).map(({ title }) => title),
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
/** “Keep it” and “Reject” say nothing by themselves about what they keep or refuse. */
const OF_THE_FIELD = /^(no )?\w+( (it|this|that|them|all|everything|as is|for now))*$/i;
/** Values that say no whatever the label's language. */
const PLAIN_NO = /^(no|reject(ed)?|deny|denied|disapproved?|refused?|declined?)$/i;
/** “Do not delete”: the one place where a word of destruction is harmless. */
const NOT_DONE = /\b(do not|don.?t|never) (\w+)/gi;
/** “Keep only the last three”, “Reject and archive”: more happens than the first word says. */
const MORE = /\d|\b(and|then|but|except|only|just|first|last|latest|newest|nothing|none of)\b/i;
/** A field of such a name is about not doing something: its no does it. */
const NEGATIVE_NAME =
  /\b(no|not|never|without|keep|retain|retention|preserve|skip|abort|cancel|stop|hold|leave|block|prevent|avoid|refuse|reject|deny|denied|decline|don.?t)\b/i;
/** A question in such words is about not doing something, whatever its field is called. */
const KEEPS =
  /\b(keep|retain|preserve|spare|save|protect|leave|instead|rather|without|prevent|avoid|block)\b/i;
/** What makes destruction milder, or tells of it: without it the destruction goes on, and is worse. */
const SAFEGUARD =
  /\b(dry|drafts?|tests?|trial|preview|simulat\w*|back(ed|ing)? ?ups?|snapshots?|cop(y|ies)|exports?|archiv\w*|soft\w*|recover\w*|restor\w*|revers\w*|rollback|undo\w*|trash|bin|safe\w*|logg\w*|notif\w*|inform|warn\w*|ask|wait\w*|schedul\w*|later|delay\w*|after|before)\b/i;
/** To refuse somebody such a thing is to take it away: “Deny access” revokes. */
const TAKEN_AWAY =
  /^(no )?(reject|deny|denied|refuse|decline)\b.*\b(access|permissions?|entry|roles?|rights?|membership)\b/i;

/** A field of such a name asks whether to go on, and its no ends the matter. */
const ASKS =
  /^((i|is|are|we|you|please|user|human|really|permanently|hard|force|do|should|to|the) )*(approv(e[ds]?|al)|confirm(s|ed|ation)?|accept(s|ed|ance)?|authori[sz](e[ds]?|ation)|agreed?|consent(ed)?|sure|ok(ay)?|proceed|continue|go( on| ahead)?)\b/i;
/** To allow or to grant something may also be what the destruction ends: `allow_access`. */
const ALLOWS = /^(allow(ed)?|permit(ted)?|grant(ed)?)( (it|this|that|action|request|call|operation))?$/i;
/** A field of such a name is what the question is about, whatever its choices are. */
const DECIDES =
  /^((the|your|my|what|which|next) )*(decision|choice|answer|response|reply|action|option|selection|value|result|outcome|how|what|step|to do|do)$|\b(decision|verdict)$/i;

/** Whether a no to a question may do something: “Keep it blocked?”, “Any objections to paying?”, “Back up first?”. */
export function noMayAct(asked: string): boolean {
  // A no to “Delete it without a backup?” deletes nothing.
  const questions = asked.split("\n").filter((line) => !destroysFirst(line.trim()));
  return questions.some(
    (line) => KEEPS.test(line) || SAFEGUARD.test(line) || asksForNo(line) || mayTurn(line),
  );
}

/** The question of a message: its last sentence that is one, else its last sentence. */
export function questionIn(message: string): string {
  const sentences = message
    .slice(-ASKED_CHARACTERS)
    .split(/(?<=[.!?？؟\n])\s/u)
    .filter((sentence) => sentence.trim() !== "");
  return sentences.findLast((sentence) => /[?？؟]/u.test(sentence)) ?? sentences.at(-1) ?? "";
}

const ASKED_CHARACTERS = 2_000;

/**
 * Whether a choice clearly does nothing, so that one press may decide it although the question destroys
 * something or its figures differ. In doubt it is not: a no ends the matter only where the field's name asks
 * whether to go on, and not where it asks for a dry run first, or for a message to somebody. `asked`: what stands above
 * the choices, if it is not the field's name.
 */
export function isHarmless(
  { label, content }: { label: string; content: Record<string, unknown> },
  asked = "",
): boolean {
  const [[name, value] = ["", null]] = Object.entries(content);
  const field = humanise(name);
  if (SAFEGUARD.test(field)) return false;
  const isPlainNo = value === false || ALONE.test(label) || PLAIN_NO.test(String(value));
  if (isPlainNo && noMayAct(asked)) return false;
  // The server reads what is sent, whatever the button is called.
  if (typeof value === "string") {
    if (!saysJust(label, value) && !sendsNo(value)) return false;
    if ([value, label].some((text) => affirms(text) || isTurned(text))) return false;
  }
  if (value === true) return saysNo(field);
  if (NEGATIVE_NAME.test(field)) return value !== false && REFUSAL.test(label) && saysNo(label);
  const ends = asksToGoOn(field);
  if (value === false) return ends;
  if (!ends && !DECIDES.test(field)) return saysNo(label) && !ALONE.test(label) && !OF_THE_FIELD.test(label);
  return saysNo(label) || (PLAIN_NO.test(String(value)) && !doesMore(label) && !destructiveWord(label));
}

/** “keep_records”, and not “never_mind_pay”. */
const KEEPS_IT = /^(keep|retain|preserve|do not|don.?t|never|no)( (?!pay|wire|send|transfer)\w+)?$/i;

/** Whether a value says no too. A code such as `r1` or `t` may stand for anything. */
function sendsNo(value: string): boolean {
  const said = humanise(value);
  if (isJustNo(value) || ALONE.test(said)) return true;
  return KEEPS_IT.test(said) && destructiveWord(said) === null;
}

function asksToGoOn(field: string): boolean {
  if (doesMore(field)) return false;
  return ASKS.test(field) || ALLOWS.test(field) || destroysFirst(field);
}

/** “Delete records”, “Allow deletion”, and not “Mark for deletion”, whose no may delete without a mark. */
export function destroysFirst(field: string): boolean {
  const words = field.replace(/^((allow|permit|really|permanently|hard|force|do|should) )+/i, "");
  return destructiveWord(words.split(" ")[0] ?? "") !== null;
}

function saysNo(text: string): boolean {
  const words = text.replace(/[^\p{L}\p{N}’']+/gu, " ").trim();
  let undone = true;
  const rest = words.replace(NOT_DONE, (_, _not, verb: string) => {
    undone &&= destructiveWord(verb) !== null || GOES_ON.test(verb);
    return "";
  });
  return undone && (ALONE.test(words) || REFUSAL.test(words)) && !destructiveWord(rest) && !doesMore(words);
}

function doesMore(words: string): boolean {
  return MORE.test(words) || TAKEN_AWAY.test(words) || SAFEGUARD.test(words.replace(ALONE, ""));
}

/** “Do not proceed” refuses; “Do not keep it” does not. */
const GOES_ON = /^(do|proceed|continue|go|run|start|approve|allow|send|pay|change|touch)$/i;
