/** Reads a property of a requested schema as a field. Nothing of it gets lost: what has no place of its own stands in the description. */
import { nameInWords } from "../../text/foreign/names.ts";
import { asSent } from "../../text/foreign/quoted.ts";
import { affirms, refuses, saysJust } from "../../text/foreign/yes-no.ts";
import { asJson, humanise } from "../../text/labels.ts";
import { isDateText } from "../../text/time.ts";
import { trimEndOf } from "../../text/trim-end.ts";
import { distinctChoices } from "./choices.ts";
import { isMultipleOf } from "./field-checks.ts";
import { sentUnder } from "./field-kinds.ts";
import type { ChoiceValue, Field } from "./form.ts";
import { lines, type Property } from "./requested-schema.ts";

/** The field, or why it cannot be shown. */
export function toField(name: string, from: Property, required: boolean): Field | string {
  const title = from.title?.trim() || name;
  const description = lines(nameWords(name, title, from), from.description, exampleWords(from));
  const base = { name, title, description, required };
  if (from.type === "array") {
    const { items, minItems = null, maxItems = null } = from;
    const ofItems = lines(items.title, items.description, exampleWords(items));
    const sources = [fromEnum(items.enum, items.enumNames), items.anyOf, items.oneOf];
    const choices = hasSpareTitles(items) ? SPARE_TITLES : toChoices(sources, from.default ?? []);
    if (!choices) return "a list without choices";
    if (typeof choices === "string") return choices;
    const { options, more, suggested } = choices;
    const said = { ...base, description: lines(description, ofItems, more) };
    return { ...said, kind: "several_of", options, minItems, maxItems, default: suggested };
  }
  const sources: (Titled<ChoiceValue>[] | undefined)[] = [
    fromEnum<ChoiceValue>(from.enum, from.enumNames),
    from.oneOf,
  ];
  const isGiven = from.default != null && String(from.default).trim() !== "";
  const choices = hasSpareTitles(from) ? SPARE_TITLES : toChoices(sources, isGiven ? [from.default!] : []);
  if (typeof choices === "string") return choices;
  // A yes and a no are what any such field offers, unless the server has its own words for them.
  const isYesOrNo = from.type === "boolean" && from.enum?.length === 2 && !from.enumNames;
  if (choices && !isYesOrNo) {
    const { options, more, suggested } = choices;
    if (from.type === "integer" && options.some(({ value }) => !Number.isInteger(value)))
      return "a choice that is no whole number";
    if (!options.every(({ value }) => isWithin(from, value))) return "a choice beyond the limits";
    const said = { ...base, description: lines(description, formatWords(from), more) };
    return { ...said, kind: "one_of", options, default: suggested[0] ?? null };
  }
  if (from.type === "boolean") return { ...base, kind: "boolean", default: from.default ?? null };
  if (from.type === "string") {
    const [named, ...others] = formatsOf(from);
    const format = named?.replace(/^uuid[1-8]$/, "uuid");
    if (format && format.length > MAX_FORMAT) return `the unknown format "${format.slice(0, MAX_FORMAT)}…"`;
    const { minLength = null, maxLength = null, default: suggested = null } = from;
    const isShown = !format?.startsWith("date") || !isGiven || canBeDrawn(format, suggested!);
    const more = lines(
      ...others.map((other) => `Format: ${other}`),
      from.contentSchema === undefined ? null : `It holds: ${JSON.stringify(from.contentSchema)}`,
      isShown ? null : `The server suggests ${asSent(suggested)}, which the field can’t show.`,
    );
    const said = { ...base, description: lines(description, more) };
    const initial = isShown ? suggested : null;
    return { ...said, kind: "text", format: format || null, minLength, maxLength, default: initial };
  }
  const said = {
    ...base,
    description: lines(description, NUMBER_FORMAT.test(from.format ?? "") ? null : formatWords(from)),
  };
  return { ...said, kind: "number", ...limitsOf(from), default: from.default ?? null };
}

/** Says under which name a yes, a no or a choice is sent, unless the title has just its words, or the name says nothing itself. */
function nameWords(name: string, title: string, from: Property): string | null {
  const { description } = from;
  const asked = trimEndOf(title, "?").replace(/^(?:which|what|whom) /i, "");
  if (!meansByName(name, title, from) || saysJust(asked, nameInWords(name))) return null;
  // As `toldApart` writes it.
  if ([name, asJson(name)].some((said) => title.endsWith(`(${said})`))) return null;
  const said = sentUnder(name);
  // A form that was read before says so already.
  return description?.startsWith(said) ? null : said;
}

/**
 * Of a choice, the name may be what it decides: `reject`, `approve_all_future_payments`; not where the title has its words, as “Which
 * plan?”, and no “not” beside them. What is ticked in a list is sent under the list's name, so that its title has to say just that.
 */
function meansByName(name: string, title: string, from: Property): boolean {
  if (from.type === "boolean") return true;
  const { enum: values = [], oneOf = [] } = from.type === "array" ? from.items : from;
  const sent = [...values, ...oneOf.map((choice) => choice.const)].map(String);
  if (PLAIN_NAME.test(humanise(name))) return false;
  // What is typed is read under its title, unless its name is a yes or a no.
  if (sent.length === 0) return affirms(humanise(name)) || refuses(humanise(name));
  if (from.type === "array") return true;
  const said = wordsIn(title);
  const isTurned = TURNED.test(title) && !TURNED.test(humanise(name));
  return (
    isTurned ||
    sent.some((value) => IS_BARE.test(value)) ||
    !wordsIn(name).every((word) => said.includes(word))
  );
}

const IS_BARE = /^(?:yes|no|y|n|t|f|true|false|on|off|0|1)$/i;
const TURNED = /\b(?:not|no|none|never|don.?t|won.?t|without|except|other than|instead|keep|kept|un\w+)\b/i;
const wordsIn = (text: string) =>
  humanise(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

const PLAIN_NAME =
  /^(?:(?:the|your|my|final) )?(?:decision|choice|answer|response|reply|action|option|selection|value|result|outcome|verdict)$/i;

const MAX_FORMAT = 100;

/** Says how a program keeps a number. */
const NUMBER_FORMAT = /^(u?int\d+|float|double|decimal)$/;

/** How a value is written, in the server's words. */
function formatsOf(from: Property): string[] {
  if (from.type === "array" || from.type === "boolean") return [];
  const all =
    from.type === "string" ? [from.format, from.contentEncoding, from.contentMediaType] : [from.format];
  return all.filter((one) => one !== undefined && one !== "") as string[];
}

function formatWords(from: Property): string | null {
  return lines(...formatsOf(from).map((format) => `Format: ${format}`));
}

/** Whether a choice keeps the limits beside it. */
function isWithin(from: Property, value: ChoiceValue): boolean {
  if (from.type === "array" || from.type === "boolean") return true;
  if (from.type === "string") {
    const { length } = [...String(value)];
    return length >= (from.minLength ?? 0) && length <= (from.maxLength ?? Infinity);
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limitsOf(from);
  const number = Number(value);
  return (
    number >= (minimum ?? -Infinity) &&
    number <= (maximum ?? Infinity) &&
    number > (exclusiveMinimum ?? -Infinity) &&
    number < (exclusiveMaximum ?? Infinity) &&
    (multipleOf === undefined || isMultipleOf(number, multipleOf))
  );
}

function limitsOf(from: Extract<Property, { type: "number" | "integer" }>) {
  const { multipleOf } = from;
  const [exclusiveMinimum, exclusiveMaximum] = [bound(from.exclusiveMinimum), bound(from.exclusiveMaximum)];
  const range = rangeOf(from.format);
  const [least, most] = range ?? [-Infinity, Infinity];
  return {
    integer: from.type === "integer" || range !== null,
    minimum: bound(Math.max(from.minimum ?? -Infinity, least)),
    maximum: bound(Math.min(from.maximum ?? Infinity, most)),
    ...(exclusiveMinimum !== null && { exclusiveMinimum }),
    ...(exclusiveMaximum !== null && { exclusiveMaximum }),
    ...(multipleOf !== undefined && { multipleOf }),
  };
}

/** The least and the most of an integer of so many bits, as OpenAPI and Rust name them. */
function rangeOf(format: string | undefined): [number, number] | null {
  const [, unsigned, bits] = /^(u?)int(8|16|32)$/.exec(format ?? "") ?? [];
  const size = 2 ** Number(bits);
  if (bits === undefined) return null;
  return unsigned ? [0, size - 1] : [-size / 2, size / 2 - 1];
}

/** Schema generators write the largest exact number where there is no limit; nothing beyond it is taken anyway. */
function bound(limit: number | undefined): number | null {
  return limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? null : limit;
}

/** Whether a field for dates, or for times in any zone, can display a value. */
function canBeDrawn(format: string, text: string): boolean {
  if (!isDateText(text.toUpperCase()) || text >= "9999") return false;
  // RFC 3339 has a colon in its zones.
  return format === "date" ? text.length === 10 : text.length > 10 && !/[+-]\d{4}$/.test(text.slice(10));
}

interface Titled<T> {
  const: T;
  title?: string | null | undefined;
  description?: string | null | undefined;
}

function fromEnum<T>(values: T[] | undefined, titles: string[] = []): Titled<T>[] | undefined {
  return values?.map((value, at) => ({ const: value, title: titles[at] }));
}

const SPARE_TITLES = "more titles than choices";

function hasSpareTitles({ enum: values = [], enumNames = [] }: { enum?: unknown[]; enumNames?: unknown[] }) {
  return enumNames.length > values.length;
}

function wordsOf(value: ChoiceValue): string {
  return typeof value === "boolean" ? (value ? "Yes" : "No") : String(value);
}

/**
 * The choices; why they cannot be shown; or null if there are none. `more`: what the server says of them that has no
 * place of its own. `suggested`: those of the defaults that are choices.
 */
function toChoices<T extends ChoiceValue>(
  sources: (Titled<T>[] | undefined)[],
  defaults: T[],
): { options: { value: T; title: string }[]; more: string | null; suggested: T[] } | string | null {
  const [from, ...others] = sources.filter((source) => source !== undefined);
  if (!from) return null;
  if (others.length > 0) return "two lists of choices";
  const values = from.map((choice) => choice.const);
  if (new Set(values).size < values.length) return "the same choice twice";
  const options = distinctChoices(
    from.map(({ const: value, title }) => ({ value, title: title ?? wordsOf(value) })),
  );
  if (!options) return "two choices that look the same";
  const described = from.map(({ description }, at) => description && `${options[at]?.title}: ${description}`);
  const unknown = defaults.filter((value) => !values.includes(value));
  const more = lines(
    ...described,
    ...unknown.map((value) => `The server suggests ${asSent(value)}, which is none of the choices.`),
  );
  return { options, more, suggested: defaults.filter((value) => values.includes(value)) };
}

/** Examples change nothing of what may be answered, and people read them. */
export function exampleWords({ examples }: { examples?: unknown }): string | null {
  const all = Array.isArray(examples) ? examples : examples === undefined ? [] : [examples];
  const words = all.map((example) => (typeof example === "string" ? example : JSON.stringify(example)));
  return words.length > 0 ? `For example: ${words.join(", ")}` : null;
}
