/**
 * Whether a choice is a plain no: it ends the matter, and does nothing. One vote of it ends a request, and one press decides
 * although a question destroys something. A no means what it is an answer to, and no list knows all that a question can mean: so it
 * is plain only where everything that is asked is known to go ahead with something. In doubt it is not. Pure.
 */
import { bareText } from "../../text/foreign/hidden.ts";
import { affirms, denies, isJustRefusal, isTurned } from "../../text/foreign/yes-no.ts";
import { humanise, splitSent } from "../../text/labels.ts";
import { DESTROYING, destroysFirst, destructiveWord } from "../destruction.ts";

/** What stands around the choices of a field. */
export interface AskedText {
  /** Of the field; empty where it says nothing of its own. */
  title: string;
  /** The message, and what describes the field and the form. */
  texts: string[];
}

interface NamedChoice {
  label: string;
  content: Record<string, unknown>;
}

/** Asks whether to go ahead: a no ends the matter. “Approve invoice INV-100?”, “Shall we delete it?”, “Is this OK?”. */
const GOES_AHEAD = new RegExp(
  `^(?:(?:please|now|so|and|shall|should|may|can|could|would|will|do|i|we|you|he|she|they|it|me|us|the|this|an?|want|like|to|really|permanently|hard|force|user|human|agent|server|is|are|be|go|ahead) )*(?:${[
    "approv(?:e[ds]?|al)|confirm(?:s|ed|ation)?|accept(?:s|ed|ance)?|authori[sz](?:e[ds]?|ation)|agreed?|consent(?:ed)?|allow(?:s|ed)?|permit(?:ted)?|grant(?:ed)?|sure|ok(?:ay)?|correct|fine",
    "proceed|continue|go on|go ahead|pay|paid|send|sent|release|transfer|wire|ship|publish|book|order|buy|purchase|charge|sign|submit|post|apply|install|deploy|run|execute|merge|start|restart|create|add|write|update|change|rename|move|invite|upload|import|reimburse",
    "payment|invoice|bill|expense|request|contract|deployment",
    DESTROYING.join("|"),
  ].join("|")})\\b`,
  "i",
);
/** Asks for a decision, and says nothing of it. */
const ASKS_WHAT = /^(?:what|which|how|who|when|where|why|your|(?:yes|approve) or)\b/i;
/** A field of such a name is what the question is about, whatever its choices are. */
const DECIDES =
  /^(?:(?:the|your|my|what|which|next) )*(?:decision|choice|answer|response|reply|action|option|selection|value|result|outcome|how|what|step|to do|do)$|\b(?:decision|verdict|approval|confirmation|consent)$/i;

/** Keep what would go. */
const KEEPS = /\b(?:keep\w*|kept|retain\w*|retention|preserv\w*|spare[ds]?|sparing|protect\w*|in use)\b/i;
/** What may turn a yes and a no round, wherever it stands: “It is blocked”, “Any objections?”, “unless you object”. */
const TURNS = new RegExp(
  `\\b(?:${[
    "instead|rather|otherwise|unless|until|still|else|not|never|don.?t|nobody|nothing|none|against|mind|opt(?:s|ed)? out",
    "block\\w*|hold(?:s|ing)?|held|stop\\w*|cancel\\w*|halt\\w*|abort\\w*|paus\\w*|fr[eo]ez\\w*|frozen|suspen\\w*|lock\\w*|recall\\w*|prevent\\w*|avoid\\w*|withh\\w*|postpon\\w*|defer\\w*|extend\\w*|extension|exclu\\w*|except\\w*|exempt\\w*|wait\\w*",
    "reject\\w*|den(?:y|ies|ied|ial)|declin\\w*|refus\\w*|disapprov\\w*|veto\\w*|disput\\w*|contest\\w*|flag\\w*|fraud\\w*|scam|wrong|escalat\\w*|revert\\w*|undo\\w*|roll\\w* ?back|back out|send (?:it )?back|return",
    "objections?|problems?|concerns?|doubts?|reservations?|hesitat\\w*|issues|missing|anything|anybody|second|needed",
  ].join("|")})\\b`,
  "i",
);
/** Ordinary words of a request for a decision, which turn nothing round. */
const ORDINARY =
  /\b(?:(?:approv\w*|accept\w*|allow|pay|confirm|yes)(?: it| this)?(?: or | ?\/ ?)(?:reject\w*|den(?:y|ied)|declin\w*|refuse|no|not)\b|(?:awaits?|waits?|waiting|needs?|needed|held|on hold) for (?:your |an? )?(?:approval|decision|answer|confirmation)|(?:approval|decision|answer|confirmation) (?:is |are )?needed)/gi;
/** What makes destruction milder, or tells of it: without it the destruction goes on, and is worse. */
const SAFEGUARD =
  /\b(?:dry|drafts?|tests?|trial|preview|simulat\w*|back(?:ed|ing)? ?ups?|snapshots?|cop(?:y|ies)|exports?|archiv\w*|soft\w*|recover\w*|restor\w*|revers\w*|rollback|undo\w*|trash|bin|safe\w*|logg\w*|notif\w*|inform|warn\w*|ask|wait\w*|schedul\w*|later|delay\w*|after|before|first)\b/i;
/** To refuse somebody such a thing is to take it away: “Deny access” revokes. */
const TAKEN_AWAY = /\b(?:access|permissions?|entry|roles?|rights?|membership)\b/i;
/** “Reject and archive”: more happens than the first word says. */
const MORE = /\d|\b(?:and|then|but|except|only|just|first|last|latest|newest|nothing|none of)\b/i;

/** Longer texts are not judged: nothing of them is plain. */
const READ_CHARACTERS = 10_000;

interface Judged {
  /** Something of it may turn the meaning round, or is a safeguard. */
  isTurned: boolean;
  /** It asks whether to go ahead, and asks nothing else. */
  goesAhead: boolean;
  /** It asks for a decision, and not whether to do something that is unknown. */
  asksKnown: boolean;
}

/** Whether a choice says no and nothing else, to a question whose no ends the matter. */
export function isPlainNo({ label, content }: NamedChoice, asked: AskedText): boolean {
  const [[name, value] = ["", null]] = Object.entries(content);
  if (!isNoLabel(label)) return false;
  const { isTurned, goesAhead, asksKnown } = judgeAsked(humanise(name), asked);
  if (isTurned) return false;
  if (value === false || IS_BARE.test(String(value))) return goesAhead;
  return typeof value === "string" && isJustRefusal(value) && asksKnown;
}

/** Means what it is an answer to. */
const IS_BARE = /^(?:no|n|false)$/i;

/** A word of another language, behind which stands what it sends, is one too. */
function isNoLabel(label: string): boolean {
  const { called, sent } = splitSent(label);
  const isOneWord = sent !== "" && /^[\p{L}\p{M}]+$/u.test(called.trim());
  if (affirms(called) || isTurned(called) || destructiveWord(called) !== null) return false;
  if ([MORE, SAFEGUARD, TAKEN_AWAY, KEEPS].some((pattern) => pattern.test(called))) return false;
  return denies(called) || isOneWord;
}

/**
 * Whether a choice clearly does nothing, so that one press may decide it although the question destroys something or its
 * figures differ: a plain no, or what keeps the thing.
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
/** As a whole: “Keep going”, “Keep none” and “Keep only the newest” keep nothing. */
const KEEPS_IT = new RegExp(
  `^(?:keep|retain|preserve|(?:do not|don.?t|never) (?:${DESTROYING.join("|")}|proceed|continue|go on|do))(?: (?:it|this|that|them|all|everything|anything|as is|for now|${THING}))*$`,
  "i",
);
const DOES_NOTHING = /^(?:no ?op|do nothing|no|none)$/i;
/** “Keep deleting?”, and what would make a keeping of something else. */
const KEEPS_DOING = /\b(?:keeps?|kept) \w+ing\b|\bon hold\b|\bblocked\b/i;

/** A field may have hundreds of choices. */
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

/** Of “INV-100 of ACME, EUR 5,000: approve?” what stands behind the colon. */
function askedIn(question: string): string {
  return plain(question.split(/:\s|\s[–—-]\s/u).at(-1) ?? "");
}
