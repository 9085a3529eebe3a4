/** Whether a choice's value or title begins by saying yes or no. Hidden characters and the width of letters don't count. Pure. */
import { humanise } from "../labels.ts";
import { bareText } from "./hidden.ts";

/** Words that are skipped before the yes or no: “auto-approve”, “I agree”. */
const FILLERS =
  "(?:(?:i|we|you|please|auto|automatically|force|just|user|always|must|should|will|is|are|be|go|to|do(?! not)|option|\\d+)\\b\\s*)*";
const YES = new RegExp(
  `^${FILLERS}(?:approv(?:e[sd]?|al|ing)|yes|y|accept(?:s|ed|ance)?|confirm(?:s|ed|ation)?|allow(?:s|ed)?|grant(?:s|ed)?|permit(?:s|ted)?|authori[sz](?:e[sd]?|ation)|ok(?:ay)?|proceed|continue|ahead|agree[sd]?|send|pay|ship|release|publish|true)\\b`,
  "i",
);
const NO = new RegExp(
  `^${FILLERS}(?:reject(?:s|ed|ion)?|den(?:y|ies|ied|ial)|disapprov(?:e[sd]?|al)|disallow(?:ed)?|disagree[sd]?|refus(?:e[sd]?|al)|declin(?:e[sd]?|ing)|cancel(?:s|l?ed)?|abort(?:s|ed)?|stop|block(?:s|ed)?|no|n|nope|none|nothing|not|never|do not|don.?t|won.?t|can.?t|cannot|veto\\w*|hold|halt|withh\\w*|suspend\\w*|skip|dismiss|void|prevent|un(?:approv|authori[sz])\\w*|false)\\b`,
  "i",
);

export function affirms(text: string): boolean {
  return YES.test(words(text));
}

export function denies(text: string): boolean {
  return NO.test(words(text));
}

/** Whether a field asks for a no alone, so that a yes to it is one: “Reject the payment?”, and not “Reject or approve?”. */
export function asksForNo(called: string): boolean {
  return denies(called) && !/\bor\b|\//i.test(called);
}

/** What makes a yes of a no: “Refuse to cancel”. */
const TURNS =
  /\b(cancel\w*|stop\w*|reject\w*|den(?:y|ies|ied|ial)|declin\w*|block\w*|hold|refus\w*|abort\w*|veto\w*|withhold\w*|suspen\w*|halt\w*|none)\b/i;

/** What also makes a no of a yes: “Yes, do not pay”. */
const UNDOES = /\b(nothing|no|not|never|don.?t|dis\w+|revo[ck]\w*|back)\b/i;
/** What ends a clause: “Reject / Deny” says no twice. */
const CLAUSE = /[,;:/|()–—.]|\s-\s/;

/** Whether a text begins with a no or a yes that its other words turn round. */
export function isTurned(text: string): boolean {
  return turned(text, words(text));
}

/** Whether a text says no: at its beginning, or by the words after a yes. */
export function refuses(text: string): boolean {
  const said = words(text);
  return NO.test(said) || turned(text, said);
}

function turned(text: string, said: string): boolean {
  if (NO.test(said)) return TURNS.test(words(text.split(CLAUSE)[0] ?? "").replace(NO, ""));
  const rest = said.replace(YES, "");
  return YES.test(said) && (TURNS.test(rest) || UNDOES.test(rest));
}

/** Whether what is sent says yes or no, and what is read does not say the same, or takes it back: “OK, reject it”. */
export function leavesUnsaid(title: string, value: string): boolean {
  const [read, sent] = [words(title), words(value)];
  if ((YES.test(sent) && !YES.test(read)) || (NO.test(sent) && !NO.test(read))) return true;
  return takesBack(title) !== takesBack(value);
}

/** What makes a yes of a no that names nothing to be done: “No objections”. */
const UNOPPOSED = /\b(objections?|problems?|issues?|concerns?|against|mind|worries)\b/i;

/** As `isTurned`, and a no that goes on: “Do not cancel, pay”. */
function takesBack(text: string): boolean {
  if (isTurned(text)) return true;
  const [, ...further] = text.split(/[,;:|()–—.]|\s-\s|\b(?:and|but|then)\b/i);
  return denies(text) && (UNOPPOSED.test(words(text)) || further.some(affirms));
}

function words(text: string): string {
  return humanise(bareText(text))
    .replace(/[^\p{L}\p{N}’']+/gu, " ")
    .trim();
}
