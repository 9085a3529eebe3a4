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
  `^${FILLERS}(?:reject(?:s|ed|ion)?|den(?:y|ies|ied|ial)|disapprov(?:e[sd]?|al)|disallow(?:ed)?|disagree[sd]?|refus(?:e[sd]?|al)|declin(?:e[sd]?|ing)|cancel(?:s|l?ed)?|abort(?:s|ed)?|stop|block(?:s|ed)?|no|n|not|never|do not|don.?t|false)\\b`,
  "i",
);

export function affirms(text: string): boolean {
  return YES.test(words(text));
}

export function denies(text: string): boolean {
  return NO.test(words(text));
}

/** What makes a yes of a no, and a no of a yes: “Refuse to cancel”, “Payment refused”. */
const TURNS =
  /\b(cancel\w*|stop\w*|reject\w*|den(?:y|ies|ied|ial)|declin\w*|block\w*|hold|refus\w*|abort\w*|veto\w*|withhold\w*|suspen\w*|halt\w*|none)\b/i;

/** Whether a text begins with a no or a yes that its other words turn round. */
export function isTurned(text: string): boolean {
  const all = words(text);
  const rest = all.replace(NO, "").replace(YES, "");
  return rest !== all && TURNS.test(rest);
}

/** Whether one says yes and the other says no. */
export function contradict(one: string, other: string): boolean {
  return (affirms(one) && denies(other)) || (denies(one) && affirms(other));
}

function words(text: string): string {
  return humanise(bareText(text))
    .replace(/[^\p{L}\p{N}’']+/gu, " ")
    .trim();
}
