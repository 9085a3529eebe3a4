/**
 * Decides whether a choice is a plain no. A plain no ends the request and does nothing else: one vote for it ends a
 * request, and one press decides it even if the question destroys something. What a no means depends on the question,
 * and no list contains every question. So a no is plain only if all parts of the question are known to ask whether to
 * go ahead. In doubt it is not plain. Pure.
 */
import { bareText } from "../../text/foreign/hidden.ts";
import { affirms, denies, isJustRefusal, isTurned } from "../../text/foreign/yes-no.ts";
import { humanise, splitSent } from "../../text/labels.ts";
import { DESTROYING, destroysFirst, destructiveWord } from "../destruction.ts";

/** The text around the choices of a field. */
export interface AskedText {
  /** The title of the field; empty if the field has no title of its own. */
  title: string;
  /** The message, and the descriptions of the field and the form. */
  texts: string[];
}

interface NamedChoice {
  label: string;
  content: Record<string, unknown>;
}

/**
 * Asks whether to go ahead: a no ends the request. “Approve invoice INV-100?”, “Shall we delete it?”, “Is this OK?”.
 */
const GOES_AHEAD = new RegExp(
  `^(?:(?:please|now|so|and|shall|should|may|can|could|would|will|do|i|we|you|he|she|they|it|me|us|the|this|an?|want|like|to|really|permanently|hard|force|user|human|agent|server|is|are|be|go|ahead) )*(?:${[
    "approv(?:e[ds]?|al)|confirm(?:s|ed|ation)?|accept(?:s|ed|ance)?|authori[sz](?:e[ds]?|ation)|agreed?|consent(?:ed)?|allow(?:s|ed)?|permit(?:ted)?|grant(?:ed)?|sure|ok(?:ay)?|correct|fine",
    "proceed|continue|go on|go ahead|pay|paid|send|sent|release|transfer|wire|ship|publish|book|order|buy|purchase|charge|sign|submit|post|apply|install|deploy|run|execute|merge|start|restart|create|add|write|update|change|rename|move|invite|upload|import|reimburse",
    "payment|invoice|bill|expense|request|contract|deployment",
    DESTROYING.join("|"),
  ].join("|")})\\b`,
  "i",
);
/** Asks for a decision, without saying what the decision is about. */
const ASKS_WHAT = /^(?:what|which|how|who|when|where|why|your|(?:yes|approve) or)\b/i;
/** A field with such a name is what the question is about, whatever its choices are. */
const DECIDES =
  /^(?:(?:the|your|my|what|which|next) )*(?:decision|choice|answer|response|reply|action|option|selection|value|result|outcome|how|what|step|to do|do)$|\b(?:decision|verdict|approval|confirmation|consent)$/i;

/** Words for keeping a thing that would otherwise be destroyed. */
const KEEPS = /\b(?:keep\w*|kept|retain\w*|retention|preserv\w*|spare[ds]?|sparing|protect\w*|in use)\b/i;
/**
 * Words that may swap the meanings of yes and no, wherever they are: “It is blocked”, “Any objections?”, “unless you
 * object”.
 */
const TURNS = new RegExp(
  `\\b(?:${[
    "instead|rather|otherwise|unless|until|still|else|not|never|don.?t|nobody|nothing|none|against|mind|opt(?:s|ed)? out",
    "block\\w*|hold(?:s|ing)?|held|stop\\w*|cancel\\w*|halt\\w*|abort\\w*|paus\\w*|fr[eo]ez\\w*|frozen|suspen\\w*|lock\\w*|recall\\w*|prevent\\w*|avoid\\w*|withh\\w*|postpon\\w*|defer\\w*|extend\\w*|extension|exclu\\w*|except\\w*|exempt\\w*|wait\\w*",
    "reject\\w*|den(?:y|ies|ied|ial)|declin\\w*|refus\\w*|disapprov\\w*|veto\\w*|disput\\w*|contest\\w*|flag\\w*|fraud\\w*|scam|wrong|escalat\\w*|revert\\w*|undo\\w*|roll\\w* ?back|back out|send (?:it )?back|return",
    "objections?|problems?|concerns?|doubts?|reservations?|hesitat\\w*|issues|missing|anything|anybody|second|needed",
  ].join("|")})\\b`,
  "i",
);
/** Ordinary words of a request for a decision. They do not swap the meanings of yes and no. */
const ORDINARY =
  /\b(?:(?:approv\w*|accept\w*|allow|pay|confirm|yes)(?: it| this)?(?: or | ?\/ ?)(?:reject\w*|den(?:y|ied)|declin\w*|refuse|no|not)\b|(?:awaits?|waits?|waiting|needs?|needed|held|on hold) for (?:your |an? )?(?:approval|decision|answer|confirmation)|(?:approval|decision|answer|confirmation) (?:is |are )?needed)/gi;
/**
 * Words for a safeguard, such as a backup or a warning. A no to a safeguard does not stop the destruction, and makes
 * it worse.
 */
const SAFEGUARD =
  /\b(?:dry|drafts?|tests?|trial|preview|simulat\w*|back(?:ed|ing)? ?ups?|snapshots?|cop(?:y|ies)|exports?|archiv\w*|soft\w*|recover\w*|restor\w*|revers\w*|rollback|undo\w*|trash|bin|safe\w*|logg\w*|notif\w*|inform|warn\w*|ask|wait\w*|schedul\w*|later|delay\w*|after|before|first)\b/i;
/** Refusing one of these takes it away: “Deny access” revokes access. */
const TAKEN_AWAY = /\b(?:access|permissions?|entry|roles?|rights?|membership)\b/i;
/** Words after which a choice does more than its first word says: “Reject and archive”. */
const MORE = /\d|\b(?:and|then|but|except|only|just|first|last|latest|newest|nothing|none of)\b/i;

/** Longer texts are not read, and a no to them is never plain. */
const READ_CHARACTERS = 10_000;

interface Judged {
  /** Some word in the texts may swap the meanings of yes and no, or is a safeguard. */
  isTurned: boolean;
  /** It asks whether to go ahead, and asks nothing else. */
  goesAhead: boolean;
  /** Every question asks for a decision, or whether to go ahead with a known action. */
  asksKnown: boolean;
}

/** Whether a choice says no and nothing else, and a no to the question ends the request. */
export function isPlainNo({ label, content }: NamedChoice, asked: AskedText): boolean {
  const [[name, value] = ["", null]] = Object.entries(content);
  if (!isNoLabel(label)) return false;
  const { isTurned, goesAhead, asksKnown } = judgeAsked(humanise(name), asked);
  if (isTurned) return false;
  if (value === false || IS_BARE.test(String(value))) return goesAhead;
  return typeof value === "string" && isJustRefusal(value) && asksKnown;
}

/** Words whose meaning depends on the question. */
const IS_BARE = /^(?:no|n|false)$/i;

/** A word of another language counts as a no label too, if the value that it sends is shown beside it. */
function isNoLabel(label: string): boolean {
  const { called, sent } = splitSent(label);
  const isOneWord = sent !== "" && /^[\p{L}\p{M}]+$/u.test(called.trim());
  if (affirms(called) || isTurned(called) || destructiveWord(called) !== null) return false;
  if ([MORE, SAFEGUARD, TAKEN_AWAY, KEEPS].some((pattern) => pattern.test(called))) return false;
  return denies(called) || isOneWord;
}

/**
 * Whether a choice clearly does nothing: a plain no, or a choice that keeps the thing. Then one press may decide it,
 * even if the question destroys something or its figures differ.
 */
export function isHarmless(choice: NamedChoice, asked: AskedText = { title: "", texts: [] }): boolean {
  if (isPlainNo(choice, asked)) return true;
  const [[name, value] = ["", null]] = Object.entries(choice.content);
  if (typeof value !== "string") return false;
  const field = humanise(name);
  const said = [plain(choice.label), plain(humanise(value))] as const;
  if (said.every((text) => STOPS_ALONE.test(text))) {
    const { isTurned, asksKnown } = judgeAsked(field, asked);
    return !isTurned && asksKnown;
  }
  const [label, sent] = said;
  if (!KEEPS_IT.test(label) || !(KEEPS_IT.test(sent) || DOES_NOTHING.test(sent) || isJustRefusal(value)))
    return false;
  const texts = [asked.title, ...asked.texts];
  const isAbout = DECIDES.test(field) || GOES_AHEAD.test(field) || A_THING.test(field);
  return isAbout && texts.join("").length <= READ_CHARACTERS && !texts.some((text) => KEEPS_DOING.test(text));
}

const plain = (text: string) =>
  bareText(text)
    .replace(/[^\p{L}\p{N}’']+/gu, " ")
    .trim();

/** Does nothing when it is said alone; “Cancel subscription” and “Skip backup” do something. */
const STOPS_ALONE =
  /^(?:no|none|never|not now|not yet|later|cancel|stop|abort|skip|leave)(?: (?:it|this|that|them|as is|alone|for now|thanks|thank you))*$/i;
const THING =
  "(?:the |this |these |my |your |our )?(?:files?|records?|data|reports?|accounts?|users?|tables?|databases?|branch(?:es)?|projects?|documents?|repository|repositories|invoices?|messages?|folders?|customers?|entr(?:y|ies)|items?)";
const A_THING = new RegExp(`^${THING}$`, "i");
/**
 * The whole text has to match: “Keep going” and “Keep none” keep nothing, and “Keep only the newest” destroys the
 * rest.
 */
const KEEPS_IT = new RegExp(
  `^(?:keep|retain|preserve|(?:do not|don.?t|never) (?:${DESTROYING.join("|")}|proceed|continue|go on|do))(?: (?:it|this|that|them|all|everything|anything|as is|for now|${THING}))*$`,
  "i",
);
const DOES_NOTHING = /^(?:no ?op|do nothing|no|none)$/i;
/** “Keep deleting?”, and texts in which “keep” is about something else. */
const KEEPS_DOING = /\b(?:keeps?|kept) \w+ing\b|\bon hold\b|\bblocked\b/i;

/** Kept, because a field may have hundreds of choices with the same texts. */
const known = new WeakMap<AskedText, Map<string, Judged>>();

/** `field`: its name as words. */
function judgeAsked(field: string, asked: AskedText): Judged {
  const ofText = known.get(asked) ?? new Map<string, Judged>();
  const judged = ofText.get(field) ?? judge(field, asked);
  known.set(asked, ofText.set(field, judged));
  return judged;
}

function judge(field: string, { title, texts }: AskedText): Judged {
  if ([title, ...texts].join("").length > READ_CHARACTERS)
    return { isTurned: true, goesAhead: false, asksKnown: false };
  const names = [field, plain(title)].filter((name) => name !== "" && !DECIDES.test(name));
  const sentences = texts.flatMap(sentencesOf);
  const questions = [title, ...sentences].filter(isQuestion).map(askedIn);
  const isGuarded = (text: string) => SAFEGUARD.test(text) || TAKEN_AWAY.test(text);
  return {
    isTurned:
      [...names, ...sentences.map(plain)].some((text) => turns(text)) ||
      names.some(isGuarded) ||
      // A no to “Delete it without a backup?” deletes nothing.
      questions.some((question) => isGuarded(question) && !destroysFirst(question)),
    goesAhead:
      [...names, ...questions].some((text) => GOES_AHEAD.test(text)) &&
      [...names, ...questions].every((text) => GOES_AHEAD.test(text)),
    asksKnown: questions.every((question) => GOES_AHEAD.test(question) || ASKS_WHAT.test(question)),
  };
}

function turns(text: string): boolean {
  const said = text.replace(ORDINARY, "");
  return TURNS.test(said) || KEEPS.test(said);
}

const QUESTION = /[?？؟;]\s*$/u;
const isQuestion = (sentence: string) => QUESTION.test(sentence);

/** An address is no question, whatever is in it. */
function sentencesOf(text: string): string[] {
  return bareText(text)
    .replace(/\bhttps?:\/\/\S+/gi, "")
    .split(/(?<=[.!?？؟])\s+|\n/u)
    .filter((sentence) => sentence.trim() !== "");
}

/** Returns the words after the colon: “approve” of “INV-100 of ACME, EUR 5,000: approve?”. */
function askedIn(question: string): string {
  return plain(question.split(/:\s|\s[–—-]\s/u).at(-1) ?? "");
}
