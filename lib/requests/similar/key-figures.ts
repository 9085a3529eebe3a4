/**
 * Finds which decided requests of the same server and tool resemble another, and which it may repeat. Pure:
 * compares the key figures of two calls, their amounts and the names in their arguments.
 */
import type { Field, Form } from "../../mcp/forms/form.ts";
import { type Largest, readLargest, snake } from "../../text/amount.ts";
import { type Names, namesIn } from "../../text/facts/party.ts";
import { affirms, asksForNo, denies, refuses } from "../../text/foreign/yes-no.ts";
import { humanise } from "../../text/labels.ts";
import { mayBeSameCurrency, sameAmount } from "../../text/money.ts";
import { isAlarm, isBesideYes, raisesAlarm } from "../answers/alarms.ts";
import { saysNo } from "../answers/rejection.ts";
import type { Amount } from "../request-schema.ts";
import type { Answer } from "./similar-schema.ts";

export interface KeyFigures extends Names {
  /** The task's short name, e.g. `INV-100`. */
  label: string | null;
  amount: Amount | null;
  /** The largest amount in the arguments, where none is shown; null where one is. */
  unshown: Largest | null;
}

/** A call that was decided. */
export interface Decided extends KeyFigures {
  answer: Answer;
  /** As `wasLetThrough` has it. */
  isLetThrough: boolean;
}

/** Whether people approved the call with other arguments: then its figures are those that nobody approved. */
export function wasChanged({ content }: Pick<Answer, "content">, form: Form | null): boolean {
  const isBare = form?.kind === "supported" && form.fields.length === 0;
  return isBare && Object.hasOwn(content ?? {}, "arguments");
}

/** Amounts are alike within this share of the amount asked about. */
const LIKE_SHARE = 0.25;
/** The same party and amount within this time may be the same bill sent twice. */
const REPEAT_MS = 90 * 86_400_000;
/** Reads the key figures of a call: top level and one level down. */
export function keyFigures(
  args: Record<string, unknown>,
  { label, amount }: Pick<KeyFigures, "label" | "amount">,
): KeyFigures {
  return { label, amount, unshown: amount === null ? readLargest(args) : null, ...namesIn(args, label) };
}

/**
 * Whether a decided call is like the one asked about: no name differs, and amounts lie within a quarter of
 * each other. Calls that share neither an amount nor a name are not comparable, so never alike.
 */
export function isLike(asked: KeyFigures, decided: KeyFigures): boolean {
  const shared = sharedNames(asked, decided);
  if (shared === null || !haveSameParties(asked, decided)) return false;
  if ((asked.amount === null) !== (decided.amount === null)) return false;
  if (!asked.amount || !decided.amount) return shared > 0 && areUnshownAlike(asked.unshown, decided.unshown);
  if (!mayBeSameCurrency(asked.amount.currency, decided.amount.currency)) return false;
  return isClose(asked.amount.value, decided.amount.value);
}

/** Whether two calls without an amount that is shown name largest amounts which are close, or none at all. */
function areUnshownAlike(asked: Largest | null, decided: Largest | null): boolean {
  if (!asked || !decided || "unclear" in asked || "unclear" in decided) return false;
  if (asked.largest === null || decided.largest === null) return asked.largest === decided.largest;
  return isClose(asked.largest, decided.largest);
}

function isClose(asked: number, decided: number): boolean {
  return Math.abs(asked - decided) <= Math.abs(asked) * LIKE_SHARE + 1e-9;
}

/**
 * Returns why a decided call may be the same one: `label` = the same number or id, whatever was decided;
 * `amount` = the same party and amount was accepted within 90 days. Null: no sign of a repeat, or it was asked for.
 */
export function repeatOf(asked: KeyFigures, decided: Decided, now: Date): "label" | "amount" | null {
  const shared = sharedNames(asked, decided);
  if (shared === null) return null;
  // A label without a digit (`python`, `Welcome mail`) is a topic, and topics repeat.
  if (asked.label !== null && asked.label === decided.label && /\d/.test(asked.label))
    return decided.answer.revise ? null : "label";
  if (!asked.amount || !decided.amount) return null;
  if (asked.parties.length === 0 || decided.parties.length === 0) return null;
  const recent = now.getTime() - Date.parse(decided.answer.at) <= REPEAT_MS;
  const same =
    mayBeSameCurrency(asked.amount.currency, decided.amount.currency) &&
    sameAmount(asked.amount.value, decided.amount.value);
  return recent && same && decided.isLetThrough ? "amount" : null;
}

/** A call that names no party in a way that can be read is like none that does. */
export function haveSameParties(one: Names, other: Names): boolean {
  return JSON.stringify(one.parties) === JSON.stringify(other.parties);
}

/** Returns how many names both have, or null if one of them differs. */
function sharedNames(asked: KeyFigures, decided: KeyFigures): number | null {
  const both = Object.keys(asked.names).filter((name) => name in decided.names);
  return both.every((name) => asked.names[name] === decided.names[name]) ? both.length : null;
}

/** Only this much of a long text is searched for a no; a longer list counts as no. */
const READ_CHARACTERS = 1_000;
/** The names of fields that decide; a note, or whom to tell, does not. */
const DECIDES =
  /^(is_)?(decision|verdict|approv(e[ds]?|al)|confirm(ed)?|accept(ed)?|allow(ed)?|authori[sz]ed?|agreed?|ok|proceed|continue|go|pay|send|release|value|choice|action|answer|response|result|outcome|status)(_|$)|_(decision|verdict|approval|status)$/;

/**
 * Whether a call was accepted and nothing of the answer may say no, by the words of the form and by what was sent. Where a choice
 * that says yes was on offer, only such a one accepts. A call that was approved with changes was not let through as it was. The only text of an answer decides whatever its name is. In doubt it was
 * refused: rules answer in people's place where they let the like through. `form`: null if it is too long to be read.
 */
export function wasLetThrough(
  { action, content }: Pick<Answer, "action" | "content">,
  form: Form | null,
): boolean {
  if (form === null || saysNo(form, action, content) || wasChanged({ content }, form)) return false;
  const isOther = (field: Field) => [isBesideYes, raisesAlarm].some((is) => is(field, content?.[field.name]));
  if (form.kind === "supported" && form.fields.some(isOther)) return false;
  const fields = Object.entries(content ?? {});
  const flags = fields.filter(([, value]) => typeof value === "boolean").length;
  return !fields.some(([name, value]) => {
    const called = humanise(name);
    const decides = DECIDES.test(snake(name));
    // A list that was too long to be read.
    if (value === null) return true;
    if (value === true) return denies(called) || asksForNo(called);
    if (value === false) return decides || flags === 1 || affirms(called);
    if (value === 0) return decides;
    if (!decides && (fields.length > 1 || typeof value !== "string"))
      return asksForNo(called) && affirms(String(value).slice(0, READ_CHARACTERS));
    const said = [value].flat().map(String);
    if (said.length > 1 && said.join("").length > READ_CHARACTERS) return true;
    return said
      .map((each) => each.slice(0, READ_CHARACTERS))
      .some((each) => refuses(each) || isAlarm(each) || (asksForNo(called) && affirms(each)));
  });
}
