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
/** As a whole: “Pay 10” may be one of several amounts. */
const GOES_AHEAD = new RegExp(
  `^${FILLERS}(?:${YES_WORDS}|merge|deploy|run|execute|apply|install|submit|sign|post|order|buy|book|transfer|wire|launch|start)(?: (?:it|this|that|them|all|now|please|everything|the \\p{L}+))*$`,
  "iu",
);

/** Whether a text is a plain consent: “Approve”, or “Ship it”. */
export function consents(text: string): boolean {
  const said = words(text);
  return (CONSENTING.test(said) || GOES_AHEAD.test(said)) && !refuses(text);
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
const TICKED = /[\u2611\u2705\u2713\u2714\u{1f44c}\u{1f44d}\u{1f197}]/u;
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
  if (NO.test(said))
    return TICKED.test(text) || TURNS.test(words(text.split(CLAUSE)[0] ?? "").replace(NO, ""));
  return YES.test(said) && (UNDOES.test(said.replace(YES, "")) || CROSSED.test(text));
}

/**
 * Whether what people read is just what is sent: the same words in their order. “Approve the invoice” is `approve`, since a plain consent
 * or refusal is about what is asked; “Keep the file” is not `delete_file`. No list of words says what else a title could mean, so
 * any other title counts as another text, as do a sign of the value and a figure that is written otherwise.
 */
export function saysJust(read: string, sent: string): boolean {
  const shown = bareText(read);
  if (read.trim() === sent || IS_TRUE.get(sent)?.test(shown)) return true;
  if (!PLAIN.test(sent) || SIGNS.test(shown)) return false;
  // Any other sign or blank may make another figure of it: “-1000”, “10.00”.
  if (FIGURES.test(read) || FIGURES.test(sent))
    return read.trim().toLowerCase() === sent.replace(BETWEEN_WORDS, " ").toLowerCase();
  const wanted = words(sent).toLowerCase().split(" ");
  const mayAdd = wanted.length === 1 && WHOLE_DECISION.test(wanted[0]!) ? WHAT_IS_ASKED : ARTICLE;
  let found = 0;
  for (const word of words(read).toLowerCase().split(" "))
    if (found < wanted.length && isSameWord(word, wanted[found]!)) found++;
    else if (!(found === 0 ? ARTICLE : mayAdd).test(word)) return false;
  return found === wanted.length && wanted[0] !== "";
}

/** A value of plain words or figures. */
const PLAIN = /^[\p{L}\p{M}\p{N}]+(?:[ _-][\p{L}\p{M}\p{N}]+)*$/u;
/** Signs that a title may say something by: “!approve”. */
const SIGNS = /[^\p{L}\p{M}\p{N}\s.,!:’'_-]|(?:^|\s)[^\p{L}\p{M}\p{N}\s]+(?=[\p{L}\p{N}])/u;
const FIGURES = /\p{N}/u;
const BETWEEN_WORDS = /(?<!\p{N})[_-]|[_-](?!\p{N})/gu;
/** What people read of a yes and a no that are sent as such. */
const IS_TRUE = new Map([
  ["true", /^yes[.!]?$/i],
  ["false", /^no[.!]?$/i],
]);
/** “Pay the refund” may be another payment than `pay`. */
const WHOLE_DECISION = new RegExp(`^(?:${CONSENTS}|${REFUSALS})$`);
const ARTICLE = /^(?:the|an?|this|that|it|please|i|we)$/;
/** Words that say nothing of their own behind “Approve” or “Reject”. */
const WHAT_IS_ASKED =
  /^(?:the|an?|this|that|it|please|payment|invoice|bill|request|call|action|purchase|expense|transfer)$/;

/** “Approve”, “approved” and “approval” are one word. */
const FAMILIES = `${CONSENTS}|${REFUSALS}`
  .split(/\|(?![^(]*\))/)
  .map((family) => new RegExp(`^(?:${family})$`));

function isSameWord(one: string, other: string): boolean {
  return one === other || FAMILIES.some((family) => family.test(one) && family.test(other));
}

function words(text: string): string {
  return humanise(bareText(text))
    .replace(/[^\p{L}\p{N}’']+/gu, " ")
    .trim();
}
