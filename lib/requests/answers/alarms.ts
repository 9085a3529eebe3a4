/** Answers that are neither a yes nor a plain no: “Fraud”, “Needs changes”, “Later”. Pure. */
import { optionsOf } from "../../mcp/forms/field-kinds.ts";
import type { Field } from "../../mcp/forms/form.ts";
import { bareText } from "../../text/foreign/hidden.ts";
import { affirms, refuses } from "../../text/foreign/yes-no.ts";
import { humanise } from "../../text/labels.ts";

const ALARM =
  "fraud(?:ulent)?|disputed?|scam|phishing|suspicious|escalat(?:e[ds]?|ion)|investigat(?:e[ds]?|ion)|flagged";
const ALARMS = new RegExp(`\\b(?:${ALARM})\\b`, "i");
/** “Fraud check passed?”, “Not suspicious” */
const CLEARED = new RegExp(
  `\\b(?:no|not|without|free|checked|screened|rules? out)\\b(?: \\w+){0,3} (?:${ALARM})\\b|\\b(?:${ALARM})\\b.*\\b(?:passed|cleared|ruled out|resolved|checked|excluded)\\b`,
  "i",
);
/** At the beginning: “Approve the report” and “Approve pending invoice” approve. */
const SETS_ASIDE = new RegExp(
  `^(?:(?:is|are|it|this|that|they|the|a|an|i|we|you|please|shall|should|must|may|to|be|mark|as|option|\\d+) )*(?:${[
    "flags?|report(?:s|ed)?|return(?:s|ed)?|refer(?:s|red)?|fail(?:s|ed|ure)?|spam|later|not now|wait(?:s|ing)?|ask|abstain|unsure|unclear",
    "(?:send|hand|give)\\b.* back|(?:needs?|requires?|requests?|requested|asks? for|suggests?|makes?)\\b.* (?:changes?|edits?|revisions?",
    "rework|work|info|information|details?|review|clarification|corrections?|attention|input)|changes? (?:needed|required|requested)",
    "revis(?:e|ion)|rework|duplicated?s?|incorrect|invalid|wrong|mismatch(?:ed|es)?|unknown|postpone[ds]?|defer(?:s|red)?|delay(?:s|ed)?",
    "pending|quarantined?|fake|forged|stolen|malicious|compromised|contest(?:s|ed)?",
  ].join("|")})\\b`,
  "i",
);
/** Longer texts are read so far. */
const READ_CHARACTERS = 2_000;

/** Whether a text reports something, or puts the decision off. */
export function isAlarm(text: string): boolean {
  const said = words(text);
  return SETS_ASIDE.test(said) || ALARMS.test(said);
}

/** Whether a choice, by its value or title, or a yes to what a field is called, is an alarm. A text is for the caller to judge. */
export function raisesAlarm(field: Field, given: unknown): boolean {
  switch (field.kind) {
    case "boolean":
      return (
        given === true &&
        [field.name, field.title].some((said) => isAlarm(said) && !CLEARED.test(words(said)))
      );
    case "one_of":
    case "several_of":
      return chosenIn(field, given).some((said) => said.some(isAlarm));
    case "text":
    case "number":
      return false;
  }
}

function words(text: string): string {
  return humanise(bareText(text.slice(0, READ_CHARACTERS)))
    .replace(/[^\p{L}\p{N}’']+/gu, " ")
    .trim();
}

/** Whether a choice that says yes was on offer, and none was taken: “Return to sender” beside “Pay”. */
export function isBesideYes(field: Field, given: unknown): boolean {
  const offersYes = optionsOf(field).some(({ value, title }) => [String(value), title].some(saysYes));
  return offersYes && !chosenIn(field, given).some((said) => said.some(saysYes));
}

/** “Send”, and not “Send back”. */
function saysYes(text: string): boolean {
  return affirms(text) && !refuses(text);
}

/** The value and the title of each choice that was taken. */
function chosenIn(field: Field, given: unknown): [string, string][] {
  return optionsOf(field)
    .filter(({ value }) => [given].flat().includes(value))
    .map(({ value, title }): [string, string] => [String(value), title]);
}
