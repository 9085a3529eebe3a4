/** Whether a choice's value or title begins by saying yes or no. Hidden characters and the width of letters don't count. Pure. */
import { humanise } from "../labels.ts";
import { bareText } from "./hidden.ts";

/** Words that are skipped before the yes or no: “auto-approve”, “I agree”. */
const FILLERS =
  "(?:(?:i|we|you|please|auto|automatically|force|just|user|always|must|should|shall|may|will|is|are|be|go|to|do(?! not)|option|\\d+)\\b\\s*)*";
const CONSENTS =
  "approv(?:e[sd]?|al|ing)|yes|y|accept(?:s|ed|ance)?|confirm(?:s|ed|ation)?|allow(?:s|ed)?|grant(?:s|ed)?|permit(?:s|ted)?|authori[sz](?:e[sd]?|ation)|ok(?:ay)?|agree[sd]?|true";
const YES_WORDS = `(?:${CONSENTS}|proceed|continue|ahead|send|pay|ship|release|publish)`;
/** Words of a no that are no part of “invoice no. 7” or “the hold”. */
const REFUSALS =
  "reject(?:s|ed|ion)?|den(?:y|ies|ied|ial)|disapprov(?:e[sd]?|al)|disallow(?:ed)?|disagree[sd]?|refus(?:e[sd]?|al)|declin(?:e[sd]?|ing)";
const STOPS =
  "cancel(?:s|l?ed)?|abort(?:s|ed)?|stop(?:s|ped)?|veto\\w*|halt(?:s|ed)?|withh\\w*|suspend\\w*|skip(?:s|ped)?|dismiss(?:ed)?|void(?:s|ed)?|prevent(?:s|ed)?|on hold|un(?:approv|authori[sz])\\w*";
const NO_WORDS = `(?:${REFUSALS}|${STOPS}|block(?:s|ed)?|hold|no|n|nope|none|nothing|not|never|do not|don.?t|won.?t|can.?t|cannot|false)`;

const YES = new RegExp(`^${FILLERS}${YES_WORDS}\\b`, "i");
const NO = new RegExp(`^${FILLERS}${NO_WORDS}\\b`, "i");
const ANY_YES = new RegExp(`\\b${YES_WORDS}\\b`, "i");
const ANY_NO = new RegExp(`\\b(?:${REFUSALS}|${STOPS})\\b`, "i");

export function affirms(text: string): boolean {
  return YES.test(words(text));
}

export function denies(text: string): boolean {
  return NO.test(words(text));
}

const CONSENTING = new RegExp(`^${FILLERS}(?:${CONSENTS})\\b`, "i");

/** Whether a text is a plain consent: “Approve”, and not “Pay”, which may be one of several amounts or times. */
export function consents(text: string): boolean {
  return CONSENTING.test(words(text)) && !refuses(text);
}

const OR_YES = new RegExp(`(?:\\bor\\b|/)\\s*${FILLERS}${YES_WORDS}\\b`, "i");

/** Whether a field asks for a no alone, so that a yes to it is one: “Shall we reject the payment?”, and not “Reject or approve?”. */
export function asksForNo(called: string): boolean {
  if (OR_YES.test(bareText(called))) return false;
  return denies(called) || (ANY_NO.test(words(called)) && !ANY_YES.test(words(called)));
}

/** What makes a yes of a no: “Refuse to cancel”. */
const TURNS =
  /\b(cancel\w*|stop\w*|reject\w*|den(?:y|ies|ied|ial)|declin\w*|block\w*|hold|refus\w*|abort\w*|veto\w*|withhold\w*|suspen\w*|halt\w*|none|objections?|problems?|issues?|concerns?|against|mind|worries|hesitat\w*|wait|doubts?|reservations?|wrong)\b/i;
/** What makes a no of a yes: “Yes, do not pay”. */
const UNDOES = new RegExp(
  `\\b(?:${NO_WORDS}|(?:cancel|stop|block|suspen|terminat|revo[ck]|dis(?!count|play|patch|tri|pos|cuss)|un(?!it|der|ion|i[qvf]))\\w+|back|drop|return|undo|revert|ignore|later|unless|until|wrong|fraud(?:ulent)?|scam|wait|elsewhere|with (?:changes|edits))\\b`,
  "i",
);
const CROSSED = /[\u00d7\u2715-\u2718\u274c\u274e\u26d4\u{1f44e}\u{1f645}\u{1f6ab}\u{1f6d1}]/u;
/** What ends a clause: “Reject / Deny” says no twice. */
const CLAUSE = /[^\p{L}\p{N}\s’'_-]|\n|\s-\s/u;

/** Whether a text begins with a no or a yes that its other words turn round. */
export function isTurned(text: string): boolean {
  return turned(text, words(text));
}

/** Whether a text says no: at its beginning, or by the words or a sign beside a yes. */
export function refuses(text: string): boolean {
  const said = words(text);
  return said === "" ? CROSSED.test(text) : NO.test(said) || turned(text, said);
}

/** Texts are read so far for a no. */
const READ_CHARACTERS = 2_000;

/** Whether a text, or a part of a sentence, says no: “Too expensive, do not pay”. */
export function refusesAnywhere(text: string): boolean {
  const read = text.slice(0, READ_CHARACTERS);
  return [read, ...read.split(PARTS)].some((part) => part.trim() !== "" && refuses(part));
}

const PARTS = /[^\p{L}\p{N}\s’'_-]|\n|\s-\s|\b(?:and|but|then|so)\b/u;

function turned(text: string, said: string): boolean {
  if (NO.test(said)) return TURNS.test(words(text.split(CLAUSE)[0] ?? "").replace(NO, ""));
  return YES.test(said) && (UNDOES.test(said.replace(YES, "")) || CROSSED.test(text));
}

/**
 * Whether a value or its title says yes or no, and the other anything else or more; or a title says both. A list of words that turn a
 * yes round would always lack one: whatever is not known to change nothing counts.
 */
export function leavesUnsaid(title: string, value: string): boolean {
  const [read, sent] = [words(title), words(value)];
  if (![read, sent].some((said) => YES.test(said) || NO.test(said) || DECIDES.test(said)))
    return ANY_YES.test(read) && UNDOES.test(read);
  const shown = bareText(title);
  return shown !== bareText(value) && (gist(read) !== gist(sent) || SIGNS.test(shown));
}

const DECIDES = new RegExp(`\\b(?:${CONSENTS}|${REFUSALS})\\b`, "i");
/** Signs that a title may say something by. */
const SIGNS = /[^\p{L}\p{M}\p{N}\s.,!:’'_-]/u;
/** What a yes or a no is about. */
const ABOUT =
  /^(?:the|an?|this|that|it|please|i|we|payment|invoice|bill|request|call|order|action|changes?|purchase|expense|transfer|refund)$/i;
const [CONSENT, REFUSAL] = [CONSENTS, `${REFUSALS}|no|n|nope|false`].map(
  (list) => new RegExp(`^(?:${list})$`, "i"),
) as [RegExp, RegExp];

/** The words of a yes or a no that matter: all consents are one, and so are all refusals. */
function gist(said: string): string {
  return said
    .split(" ")
    .filter((word) => !ABOUT.test(word))
    .map((word) => (CONSENT.test(word) ? "+" : REFUSAL.test(word) ? "-" : word.toLowerCase()))
    .join(" ");
}

function words(text: string): string {
  return humanise(bareText(text))
    .replace(/[^\p{L}\p{N}’']+/gu, " ")
    .trim();
}
