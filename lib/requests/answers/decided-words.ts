/** What was decided, in words. Pure. */

import { distinctChoices } from "../../mcp/forms/choices.ts";
import { isTyped } from "../../mcp/forms/field-kinds.ts";
import type { ChoiceValue, FieldKind } from "../../mcp/forms/form.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import { nameInWords } from "../../text/foreign/names.ts";
import { affirms, asksForNo, denies, isTurned } from "../../text/foreign/yes-no.ts";
import { capitalise, humanise, shorten, splitSent } from "../../text/labels.ts";
import { booleanWords, PLAIN_TITLE } from "./form-buttons.ts";

/** Of a decline that asks for another request. */
export const ASKED_TO_REVISE = "Asked to revise";

/** Of an approval whose content is `{arguments}`: the call is made with these. */
const APPROVED_WITH_CHANGES = "Approved with changes";

/** What the words need of the form's only field. */
export interface DecidedField {
  name: string;
  title: string;
  kind: FieldKind;
  options?: { value: ChoiceValue; title: string }[];
}

/** Of whole values and titles alone: `approval_denied` is no approval. */
const PAST: Record<string, string> = {
  approve: "Approved",
  approved: "Approved",
  reject: "Rejected",
  rejected: "Rejected",
  accept: "Accepted",
  accepted: "Accepted",
  deny: "Denied",
  denied: "Denied",
  refuse: "Refused",
  refused: "Refused",
  confirm: "Confirmed",
  confirmed: "Confirmed",
  allow: "Allowed",
  allowed: "Allowed",
};
/** Of a no to a field of such a name. */
const REFUSED: Record<string, string> = {
  Approved: "Rejected",
  Accepted: "Refused",
  Confirmed: "Not confirmed",
  Allowed: "Denied",
};
const TITLE_CHARACTERS = 60;
const LABEL_CHARACTERS = 40;
const SENT_CHARACTERS = 70;

/**
 * The decision as a past participle where that is clear (`Approved`, `Declined`), else with the pressed choice
 * under its field's title: `Answered “Keep the file: No”`. Without `field`, the names that
 * were sent stand for titles. Forms of several fields, and texts, are `Answered`. `isApproval`: a yes to the question is an approval.
 */
export function decidedWords(
  action: string,
  content: Record<string, unknown> | null | undefined,
  field: DecidedField | null = null,
  isApproval = false,
): string {
  if (action === "decline") return "Declined";
  if (action === "cancel") return "Cancelled";
  const [only, ...others] = Object.entries(content ?? {});
  // A field that was left out says nothing.
  if (!only) return field ? "Answered" : isApproval ? "Approved" : "Confirmed";
  if (others.length > 0) return "Answered";
  const [name, value] = only;
  if (isApproval && !field && name === "arguments") return APPROVED_WITH_CHANGES;
  if (typeof value === "boolean") return ofBoolean(name, value, field);
  const isChoice = field ? !isTyped(field) : typeof value === "string";
  return isChoice && (typeof value === "string" || typeof value === "number")
    ? ofChoice(name, value, field)
    : "Answered";
}

function ofBoolean(name: string, value: boolean, field: DecidedField | null): string {
  const title = field?.title ?? nameInWords(name);
  const isPlain = [name, humanise(name)].some((plain) => plain.toLowerCase() === title.toLowerCase());
  // “Keep it blocked”, of a field `approved`: the title is what was read.
  const saysSo = affirms(title) && affirms(humanise(name)) && !isTurned(title);
  const says = isPlain || PLAIN_TITLE.test(title) || saysSo;
  const past = says && !denies(title) ? own(PAST, name) : undefined;
  const word = value ? past : past && own(REFUSED, past);
  if (word) return word;
  const [yes, no] = booleanWords({ name, title }) ?? ["Yes", "No"];
  return answered(title, value ? yes : no);
}

function ofChoice(name: string, value: string | number, field: DecidedField | null): string {
  const title = field?.options?.find((option) => option.value === value)?.title ?? String(value);
  const word = own(PAST, String(value));
  if (word && own(PAST, title) === word && !(field && asksForNo(field.title))) return word;
  // A form that was captured by an earlier version has no value beside its titles.
  const told = distinctChoices([{ value, title }])?.[0]?.title ?? title;
  return answered(field?.title ?? nameInWords(name), capitalise(told));
}

function answered(title: string, label: string): string {
  const shown = (text: string, length: number) => shorten(visibleText(text).replace(/\s+/g, " "), length);
  const before = PLAIN_TITLE.test(title)
    ? ""
    : `${shown(title, TITLE_CHARACTERS)}${/[?:]$/.test(title) ? "" : ":"} `;
  // What was sent stays, however long the title is (lib/mcp/forms/choices.ts).
  const { called, sent } = splitSent(label);
  return `Answered “${before}${shown(called, LABEL_CHARACTERS)}${shown(sent, SENT_CHARACTERS)}”`;
}

function own<T>(words: Record<string, T>, key: string): T | undefined {
  const lower = key.toLowerCase();
  return Object.hasOwn(words, lower) ? words[lower] : Object.hasOwn(words, key) ? words[key] : undefined;
}
