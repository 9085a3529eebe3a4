import { isTyped, optionsOf } from "../../mcp/forms/field-kinds.ts";
import type { ChoiceValue, Field, Form } from "../../mcp/forms/form.ts";
import { affirms, asksForNo, consents, denies, refuses, refusesAnywhere } from "../../text/foreign/yes-no.ts";
import { capitalise, humanise, splitSent } from "../../text/labels.ts";
import { raisesAlarm } from "./alarms.ts";
import { booleanWords, isOwnNo, isYesOrNo, type Rejection, takesDecision } from "./form-buttons.ts";
import { plainNosOf } from "./plain-no.ts";

/** The whole name: what is sent as `promissory_note_iban` is no reason. */
const REASON =
  /^(?:(?:your|the|rejection|approver|approval|decision|internal) )?(?:reasons?|comments?|notes?|remarks?|explanation|justification)(?: for rejection)?$/i;

/**
 * Returns how the form itself says no, as against declining to answer, or null if the form has no such choice
 * or requires more than that choice and a reason.
 */
export function rejectionOf(form: Form): Rejection | null {
  if (form.kind !== "supported") return null;
  const reason = form.fields.find(
    (field) => field.kind === "text" && !field.format && REASON.test(humanise(field.name)),
  );
  const rest = form.fields.filter((field) => field !== reason && (field.required || field.kind !== "text"));
  const [choice, ...others] = rest;
  if (!choice || others.some((field) => field.required)) return null;
  const [no] = plainNosOf(choice);
  if (no === undefined) return null;
  return { label: labelOf(choice, no), content: { [choice.name]: no }, reasonField: reason?.name ?? null };
}

/** What a button says that sends the field's plain no. */
function labelOf(field: Field, value: ChoiceValue): string {
  const option = optionsOf(field).find((each) => each.value === value);
  return option ? capitalise(option.title) : (booleanWords(field)?.[1] ?? "No");
}

/** Whether an answer is a no and nothing else: it declines, or it is the form's own no (`isOwnNo`). */
export function isRejection(form: Form, action: string, content: Record<string, unknown> | null): boolean {
  return action !== "accept" || isOwnNo(rejectionOf(form), content);
}

/**
 * Whether an answer says no, whatever else it says: it declines, a choice of it has a no in its value or title, it says no to
 * the only thing that is to be chosen, or yes to a no. In doubt it does: nobody may take it for a consent.
 */
export function saysNo(form: Form, action: string, content: Record<string, unknown> | null): boolean {
  if (action !== "accept") return true;
  if (form.kind !== "supported" || content === null) return false;
  const isOnlyChoice = form.fields.filter((field) => !isTyped(field)).length === 1;
  return form.fields.some((field) =>
    saysNoTo(field, Object.hasOwn(content, field.name) ? content[field.name] : undefined, isOnlyChoice),
  );
}

/** Whether a field's value says no. `isOnlyChoice`: nothing else of the form is chosen. */
function saysNoTo(field: Field, given: unknown, isOnlyChoice: boolean): boolean {
  const called = [humanise(field.name), field.title];
  switch (field.kind) {
    case "one_of":
    case "several_of": {
      // To tick anything under “Refuse these” refuses it. Of choices of one, only a yes to a no does.
      const asksNo = called.some(asksForNo);
      const isYesToNo = (said: string[]) => asksNo && (field.kind === "several_of" || said.some(affirms));
      return field.options
        .filter(({ value }) => [given].flat().includes(value))
        .map(({ value, title }) => [String(value), title])
        .some((said) => said.some(refuses) || isYesToNo(said));
    }
    case "boolean":
      if (given === true) return called.some((said) => denies(said) || asksForNo(said));
      return given === false && (isOnlyChoice || booleanWords(field) !== null || called.some(affirms));
    case "text":
    case "number":
      return false;
  }
}

/** A field of such a name takes words beside the decision, unless its title asks for one. */
const NOTE = /\b(reason|comment|note|remark|explanation|justification)s?\b/i;
const ASKS = /\b(yes|no|decision|decide|approv\w*|reject\w*)\b/i;

/** `decided`: another field of the form takes the decision, and has it. */
function isNote({ kind, name, title }: Field, decided: boolean): boolean {
  if (!decided || !NOTE.test(humanise(name)) || affirms(title)) return false;
  // What is to be ticked is a note only where people read so.
  return NOTE.test(title) || (kind === "text" && !ASKS.test(title));
}

/**
 * Whether an answer to an approval says no. A server reads what it is sent; a program that asked for an approval goes by the outcome,
 * and in doubt must not go ahead. So more counts as a no than in `saysNo`: a text that says no anywhere, or that decides and says no
 * yes; a no to any question of the form; a question of yes or no that is left out; a 0 where it may stand for a no; “Needs changes”
 * or “Fraud” where it decides. A plain note does not.
 */
export function withholdsConsent(
  form: Form,
  action: string,
  content: Record<string, unknown> | null,
): boolean {
  if (saysNo(form, action, content)) return true;
  if (form.kind !== "supported") return false;
  const given = (field: Field) =>
    content && Object.hasOwn(content, field.name) ? content[field.name] : undefined;
  const isOnly = form.fields.length === 1;
  const deciding = form.fields.filter((field) => given(field) !== undefined && isYesOrNo(field));
  return form.fields.some((field) => {
    const decided = deciding.some((each) => each !== field);
    if (!isOnly && isNote(field, decided)) return false;
    if (mayBeNo(field, given(field), isOnly) || isNoYes(field, given(field), decided)) return true;
    // Beside a decision, “Fraud prevention” may be what a purchase is booked on.
    const decides = field.kind === "boolean" || !decided || isYesOrNo(field);
    return decides && raisesAlarm(field, given(field));
  });
}

/** Whether a text that decides says anything but yes, or nothing. */
function isNoYes(field: Field, given: unknown, decided: boolean): boolean {
  switch (field.kind) {
    case "text":
      if (affirms(String(given ?? ""))) return false;
      return takesDecision(field.title) || (!decided && takesDecision(humanise(field.name)));
    case "number":
    case "boolean":
    case "one_of":
    case "several_of":
      return false;
  }
}

/** Whether consent was on offer and something else was chosen: “Needs changes” beside “Approve”. */
function isBesideConsent(field: Field, given: unknown): boolean {
  const says = (say: typeof affirms, { value, title }: { value: ChoiceValue; title: string }) =>
    say(String(value)) || say(splitSent(title).called);
  const isYes = (text: string) => affirms(text) || consents(text);
  switch (field.kind) {
    case "one_of": {
      const chosen = field.options.find(({ value }) => value === given);
      return !(chosen && says(isYes, chosen)) && field.options.some((option) => says(consents, option));
    }
    case "text":
    case "number":
    case "boolean":
    case "several_of":
      return false;
  }
}

function mayBeNo(field: Field, given: unknown, isOnly: boolean): boolean {
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return isYesOrNo(field);
  const isZero = [given].flat().some((each) => String(each).trim() === "0");
  switch (field.kind) {
    case "boolean":
      return given === false;
    case "one_of":
      return isZero || isBesideConsent(field, given);
    case "several_of":
      return isZero;
    case "number":
      return isZero && (isOnly || isYesOrNo(field));
    case "text": {
      const text = String(given);
      const isYesToNo = [humanise(field.name), field.title].some(asksForNo) && affirms(text);
      return refusesAnywhere(text) || isYesToNo || (isZero && (isOnly || isYesOrNo(field)));
    }
  }
}
