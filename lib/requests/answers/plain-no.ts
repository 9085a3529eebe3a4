/**
 * Decides whether a choice is a plain no. A plain no ends the request and does nothing else: one vote for it ends a
 * request, and one press decides it even if the question destroys something. What a no means depends on the question,
 * and no list contains every question. So a no is plain only if each question asks for a known act, such as “Pay
 * INV-7?” (known-acts.ts). In doubt it is not plain. Pure.
 */
import { bareText } from "../../text/foreign/hidden.ts";
import { affirms, denies, isJustRefusal, isTurned } from "../../text/foreign/yes-no.ts";
import { humanise, splitSent } from "../../text/labels.ts";
import { DESTROYING, destructiveWord } from "../destruction.ts";
import { actOf, isThing, wordsOf } from "./known-acts.ts";

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

/** A field of such a name asks what the other texts ask. */
const DECIDES =
  /^(?:(?:the|your|my|what|which|next) )*(?:decision|choice|answer|response|reply|action|option|selection|value|result|outcome|how|what|step|to do|do|confirm|confirmed|ok|okay)$|\b(?:decision|verdict|approval|confirmation|consent)$/i;
/** Begins a question, also one without a question mark: “Is this a duplicate”. */
const ASKS =
  /^(?:(?:and|but|so|also|please) )*(?:is|isn.?t|are|aren.?t|was|were|do|does|did|has|have|had|shall|should|can|could|may|might|must|will|would|any|what|which|how|who|when|where|why|whose)\b/i;
/** Begins a request for something that is no known act: “Change the recipient to ACME.” */
const REQUESTS =
  /^(?:please |kindly |now )*(?:add|adjust|amend|ask|change|check|correct|create|edit|fix|forward|inform|invite|move|notify|postpone|rename|replace|run|send|set|start|submit|update|verify|warn)\b/i;

/** Words for keeping a thing that would otherwise be destroyed. */
const KEEPS = /\b(?:keep\w*|kept|retain\w*|retention|preserv\w*|spare[ds]?|sparing|protect\w*|in use)\b/i;
/**
 * Words that may swap the meanings of yes and no, wherever they are: “It is blocked”, “Any objections?”, “unless you
 * object”.
 */
const TURNS = new RegExp(
  `\\b(?:${[
    "instead|rather|otherwise|unless|until|if|whether|still|else|not|never|don.?t|nobody|nothing|none|against|mind|opt(?:s|ed)? out|(?:say|press|choose|answer|select|pick|with) no|no means",
    "block\\w*|hold(?:s|ing)?|held|stop\\w*|cancel\\w*|skip\\w*|delay\\w*|aside|ignor\\w*|dismiss\\w*|void\\w*|halt\\w*|abort\\w*|paus\\w*|quarantin\\w*|fr[eo]ez\\w*|frozen|suspen\\w*|lock\\w*|recall\\w*|prevent\\w*|avoid\\w*|withh\\w*|postpon\\w*|defer\\w*|extend\\w*|extension|exclu\\w*|except\\w*|exempt\\w*|wait\\w*",
    "reject\\w*|den(?:y|ies|ied|ial)|declin\\w*|refus\\w*|disapprov\\w*|veto\\w*|disput\\w*|contest\\w*|flag\\w*|fraud\\w*|scam|spam|wrong|incorrect|mistake\\w*|suspicious|duplicat\\w*|twice|already|correct\\w*|amend\\w*|escalat\\w*|revert\\w*|undo\\w*|roll\\w* ?back|back out|send (?:it )?back|return",
    "objections?|problems?|concerns?|doubts?|reservations?|hesitat\\w*|issues|missing|anything|anybody|second|needed",
  ].join("|")})\\b`,
  "i",
);
/** Ordinary words of a request for a decision. They do not swap the meanings of yes and no. */
const ORDINARY =
  /\b(?:(?<=(?:approv\w*|accept\w*|allow|pay|confirm|yes)(?: it| this)?)(?: or | ?\/ ?)(?:reject\w*|den(?:y|ied)|declin\w*|refuse|no|not)\b|(?:awaits?|waits?|waiting|needs?|needed|held|on hold) for (?:your |an? )?(?:approval|decision|answer|confirmation)|(?:approval|decision|answer|confirmation) (?:is |are )?needed|(?<=please )review(?: and(?= approve))?|(?:can.?t|cannot) be (?:undone|reverted|recovered|restored))/gi;
/** A question with one of these asks how, which of two, or about a state: “Pay by card?”, “Pay INV-7 to the new account?”. */
const ASKS_ELSE =
  /\b(?:or|by|via|using|without|only|as|new|old|an?other|other|different|full|part|partly|partial\w*|instal\w*|once|same|is|are|was|were|be|been|has|have|had|does|did|fail\w*|broken|done|finished|late|overdue)\b/i;
/**
 * Words for a safeguard, such as a backup or a warning. A no to a safeguard does not stop the destruction, and makes
 * it worse.
 */
const SAFEGUARD =
  /\b(?:dry|drafts?|tests?|trial|simulat\w*|cop(?:y|ies)|exports?|archiv\w*|soft\w*|recover\w*|restor\w*|revers\w*|rollback|undo\w*|trash|bin|safe\w*|logg\w*|inform|ask|wait\w*|schedul\w*|later|delay\w*|after|before|first)\b/i;
/** These are safeguards also in the sentence before “Approve it?”. */
const CARE =
  /\b(?:review\w*|check\w*|verif\w*|validat\w*|scan\w*|audit\w*|compliance|legal|previews?(?! \d)|back(?:ed|ing)? ?ups?|snapshots?|dry run|notif\w*|warn\w*)\b/i;
/** What a file is called says nothing of a safeguard: “Delete exports-2025.csv?”. */
const FILE_NAMES = /(?<=\s)[\p{L}\p{N}_-]{1,200}\.\p{L}[\p{L}\p{N}]{1,9}(?![\p{L}\p{N}])/gu;
/** Refusing one of these takes it away: “Deny access” revokes access. */
const TAKEN_AWAY = /\b(?:access|permissions?|entry|roles?|rights?|membership)\b/i;
/** Words after which a choice does more than its first word says: “Reject and archive”. */
const MORE = /\d|\b(?:and|then|but|except|only|just|first|last|latest|newest|nothing|none of)\b/i;
/** To delete one of these stops it, and a no lets it run: “The payment is odd. Delete it?”. */
const RUNS =
  /\b(?:pay\w*|paid|invoic\w*|bill\w*|transfer\w*|orders?|money|jobs?|rules?|contracts?|subscri\w*)\b/i;

/** Longer texts are not read, and a no to them is never plain. */
const READ_CHARACTERS = 10_000;

interface Judged {
  /** Some word in the texts may swap the meanings of yes and no, or is a safeguard. */
  isTurned: boolean;
  /** Each question asks for a known act, or for a decision on a known thing: “What should we do with INV-7?”. */
  asksKnown: boolean;
  /** And all ask for acts, at least one. */
  goesAhead: boolean;
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
  if ([MORE, SAFEGUARD, CARE, TAKEN_AWAY, KEEPS].some((pattern) => pattern.test(called))) return false;
  return denies(called) || isOneWord;
}

/**
 * Whether a choice clearly does nothing: a plain no, or a choice that stops or keeps the thing. Then one press may
 * decide it, even if the question destroys something or its figures differ.
 */
export function isHarmless(choice: NamedChoice, asked: AskedText = { title: "", texts: [] }): boolean {
  if (isPlainNo(choice, asked)) return true;
  const [[name, value] = ["", null]] = Object.entries(choice.content);
  if (typeof value !== "string") return false;
  const [label, sent] = [plain(choice.label), plain(humanise(value))];
  const stops = STOPS_ALONE.test(label) && STOPS_ALONE.test(sent);
  const keeps =
    KEEPS_IT.test(label) && (KEEPS_IT.test(sent) || DOES_NOTHING.test(sent) || isJustRefusal(value));
  if (!stops && !keeps) return false;
  const texts = keeps ? asked.texts.map((text) => text.replace(OR_KEEP, "")) : asked.texts;
  const { isTurned, goesAhead } = judgeAsked(humanise(name), keeps ? { ...asked, texts } : asked);
  return goesAhead && !isTurned;
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
/**
 * The whole text has to match: “Keep going” and “Keep none” keep nothing, and “Keep only the newest” destroys the
 * rest.
 */
const KEEPS_IT = new RegExp(
  `^(?:keep|retain|preserve|(?:do not|don.?t|never) (?:${DESTROYING.join("|")}|proceed|continue|go on|do))(?: (?:it|this|that|them|all|everything|anything|as is|for now|${THING}))*$`,
  "i",
);
const DOES_NOTHING = /^(?:no ?op|do nothing|no|none)$/i;
/** What is left of “Delete or keep the records?” for a choice that keeps them. */
const OR_KEEP = / or keep\b/gi;

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
  const names = [field, title].map((name) => name.replace(ORDINARY, "")).filter((name) => !saysNothing(name));
  const sentences = texts.flatMap(sentencesOf).map((text) => text.replace(ORDINARY, ""));
  const asked = [...names, ...sentences.flatMap(questionsIn)];
  const acts = [...asked, ...sentences].map(actOf).filter((act) => act !== null);
  const isKnown = (text: string) => actOf(text) !== null || DECIDES.test(plain(text));
  const isOneOf = (text: string, patterns: RegExp[]) => patterns.some((pattern) => pattern.test(plain(text)));
  const asksKnown = asked.every(isKnown);
  return {
    isTurned:
      [...names, ...sentences].some((text) => isOneOf(text, [TURNS, KEEPS])) ||
      asked.some((text) => isOneOf(text.replace(FILE_NAMES, ""), [SAFEGUARD, CARE, TAKEN_AWAY, ASKS_ELSE])) ||
      // “A virus scan comes next. Go on?”: another sentence says what the question is about.
      (acts.every(({ isAlone }) => isAlone) && sentences.some((text) => CARE.test(plain(text)))) ||
      (acts.some(({ destroys }) => destroys) &&
        [...names, ...sentences].some((text) => isOneOf(text, [RUNS]))),
    asksKnown,
    goesAhead: asksKnown && acts.some(({ decides }) => !decides) && !acts.some(({ decides }) => decides),
  };
}

/** Says of itself nothing that a no could be an answer to: “Decision”, “The invoice”. */
function saysNothing(name: string): boolean {
  return DECIDES.test(plain(name)) || (!QUESTION.test(name) && wordsOf(name).every(isThing));
}

/** An address is no question, whatever is in it. */
function sentencesOf(text: string): string[] {
  return bareText(text)
    .replace(/\bhttps?:\/\/\S+/gi, "")
    .split(/(?<=[?？؟])\s*|(?<=[.!])\s+|\n/u)
    .filter((sentence) => sentence.trim() !== "");
}

const QUESTION = /[?？؟;]\s*$/u;

/** The parts of a sentence that ask: “approve?” of “INV-100 of ACME, EUR 5,000: approve?”. */
function questionsIn(sentence: string): string[] {
  const parts = sentence.split(/[:;,]\s|\s[–—-]\s|[()[\]]/u).filter((part) => part.trim() !== "");
  const asking = parts.filter((part) => ASKS.test(plain(part)) || REQUESTS.test(plain(part)));
  if (asking.length > 0 || !QUESTION.test(sentence)) return asking;
  const acts = parts.filter((part) => actOf(part) !== null);
  return acts.length > 0 ? acts : parts.slice(-1);
}
