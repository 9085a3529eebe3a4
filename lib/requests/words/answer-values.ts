import { FORMATS, isMultipleOf } from "../../mcp/forms/field-checks.ts";
import { isTyped, optionsOf } from "../../mcp/forms/field-kinds.ts";
import type { ChoiceValue, Field, Form } from "../../mcp/forms/form.ts";
import { currencyOf } from "../../text/amount.ts";
import { readExactNumber } from "../../text/exact-number.ts";
import { type Cell, describeValue } from "../../text/facts/cells.ts";
import type { Formats } from "../../text/formats/formats.ts";
import { capitalise, uncapitalise } from "../../text/labels.ts";
import { instantsOf, localZone } from "../../text/local-time.ts";
import { decisionOn } from "../answers/form-buttons.ts";

/** The values of the fields while a person types: text as typed, or the chosen values. */
export type AnswerValues = Record<string, string | string[]>;

/** Marks a date with missing parts, for which browsers give an empty text as for an empty field. */
export const UNFINISHED = "…";

/** The initial values of a form: the draft if one exists, else the server's suggestions for typed fields. */
export function initialValues(fields: Field[], draft: Record<string, unknown> | null): AnswerValues {
  const drafted = (name: string) => (draft && Object.hasOwn(draft, name) ? draft[name] : undefined);
  return Object.fromEntries(fields.map((field) => [field.name, initialValue(field, drafted(field.name))]));
}

/**
 * The content of a draft: all values that differ from the untouched form. A cleared suggestion stays cleared,
 * and an untouched form has an empty draft.
 */
export function draftContent(fields: Field[], values: AnswerValues): AnswerValues {
  const untouched = initialValues(fields, null);
  const changed = fields.flatMap(({ name }) => {
    const value = values[name];
    const same =
      value === undefined ||
      value === UNFINISHED ||
      JSON.stringify(value) === JSON.stringify(untouched[name]);
    return same ? [] : [[name, value] as const];
  });
  return Object.fromEntries(changed);
}

function initialValue(field: Field, drafted: unknown): string | string[] {
  // The draft may come from an earlier form: values that don't fit this form are dropped.
  const text = ["string", "number", "boolean"].includes(typeof drafted) ? String(drafted) : null;
  switch (field.kind) {
    case "text":
    case "number":
      // A choice is never made for a person; what the server suggests to type is filled in, and marked as suggested.
      return text ?? String(field.default ?? "");
    case "boolean":
      return text ?? "";
    case "one_of": {
      const chosen = drafted === undefined ? undefined : chosenOf(field, String(drafted));
      return chosen === undefined ? "" : heldAs(chosen);
    }
    case "several_of": {
      const chosen = Array.isArray(drafted) ? drafted : [];
      return field.options.map(({ value }) => value).filter((value) => chosen.includes(value));
    }
  }
}

/** Content that was sent, to fill the form with again: what was left empty stays so, whatever the server suggests. */
export function sentValues(form: Form, content: Record<string, unknown>): Record<string, unknown> {
  const fields = form.kind === "supported" ? form.fields : [];
  return Object.fromEntries(
    fields.map((field) => {
      const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
      return [field.name, typeof value === "string" && !isTyped(field) ? heldAs(value) : (value ?? "")];
    }),
  );
}

export interface SentCell {
  name: string;
  title: string;
  cell: Cell;
}

/** What of an answer is shown beside its words: the fields of a form, and of one press what the words do not say whole. */
export function cellsBeside(
  question: Parameters<typeof decisionOn>[0],
  answer: { words: string; content: Record<string, unknown> | null } | null,
  formats: Formats,
): SentCell[] {
  const { fields } = question;
  if (!answer?.content || fields.kind !== "supported") return [];
  const saysAll =
    !answer.words.includes("…") && fields.fields.every(({ description }) => !sentAs(description));
  if (saysAll && decisionOn(question).kind !== "form") return [];
  return sentCells(fields.fields, answer.content, formats);
}

/** `Sent as “reject”`, where a field's name is not what its title says (lib/mcp/forms/read-field.ts). */
function sentAs(description: string | null): string | null {
  return description === null ? null : (/^Sent as “[^”]*”/.exec(description)?.[0] ?? null);
}

/** Content that was sent, as people read it: each value under its field's title, choices by their own titles. */
export function sentCells(fields: Field[], content: Record<string, unknown>, formats: Formats): SentCell[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(content).map(([name, value]) => {
    const field = byName.get(name);
    const titles = new Map<unknown, string>(
      field && optionsOf(field).map((option) => [option.value, option.title]),
    );
    const titled = (each: unknown) => titles.get(each) ?? each;
    const read = Array.isArray(value) ? value.map(titled) : titled(value);
    const cell = describeValue(name, read, formats, currencyOf(content));
    const named = sentAs(field?.description ?? null);
    const title = `${field?.title ?? name}${named ? ` (${uncapitalise(named)})` : ""}`;
    return { name, title, cell: cell ?? { kind: "text", text: JSON.stringify(value) } };
  });
}

export interface FieldError {
  field: string;
  message: string;
}

/** Returns the content to send, and the errors in it. The server checks again. */
export function readAnswer(
  fields: Field[],
  values: AnswerValues,
): { content: Record<string, unknown>; errors: FieldError[] } {
  const content: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    const read = readField(field, values[field.name] ?? "");
    if ("error" in read) errors.push({ field: field.name, message: read.error });
    else if (read.value !== undefined) content[field.name] = read.value;
  }
  return { content, errors };
}

type Read = { value: unknown } | { error: string };

function readField(field: Field, value: string | string[]): Read {
  switch (field.kind) {
    case "several_of":
      return readSeveral(field, Array.isArray(value) ? value : []);
    case "text":
    case "number":
    case "boolean":
    case "one_of":
      return readOne(field, typeof value === "string" ? value : "");
  }
}

function readOne(field: Exclude<Field, { kind: "several_of" }>, text: string): Read {
  if (text.trim() === "" && field.required) return { error: isTyped(field) ? "Required" : "Choose one" };
  if (text.trim() === "") return { value: undefined };
  switch (field.kind) {
    case "text":
      return readText(field, text);
    case "number":
      return readNumber(field, text.trim());
    case "boolean":
      return { value: text === "true" };
    case "one_of":
      return { value: chosenOf(field, text) ?? text };
  }
}

/**
 * The text by which a control holds a choice of one. Blank is no answer, so a choice of a blank value has a hidden character
 * instead; another choice of that value would look the same, and such forms are refused.
 */
export function heldAs(value: ChoiceValue): string {
  const text = String(value);
  return text.trim() === "" ? "\u200b" : text;
}

/** The choice that a control holds as this text. */
function chosenOf({ options }: Extract<Field, { kind: "one_of" }>, text: string) {
  return options.find(({ value }) => heldAs(value) === text)?.value;
}

function readText(field: Extract<Field, { kind: "text" }>, text: string): Read {
  const length = [...text].length;
  if (field.minLength !== null && length < field.minLength)
    return { error: `At least ${characters(field.minLength)}; these are ${length}` };
  if (field.maxLength !== null && length > field.maxLength)
    return { error: `At most ${characters(field.maxLength)}; these are ${length}` };
  return readFormat(field.format, text);
}

/** Reads a text of a format of JSON Schema. The error says in words what the text has to be. */
export function readFormat(format: string | null, text: string): Read {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)
        ? { value: text }
        : { error: "An e-mail address, such as name@example.com" };
    case "uri":
      return URL.canParse(text) ? { value: text } : { error: "A full address, such as https://example.com" };
    case "date":
      return isDate(text) ? { value: text } : { error: "A whole date: day, month and year" };
    case "date-time":
      return readTime(text);
    default: {
      const known = FORMATS.get(format ?? "");
      return known?.fits?.(text) === false ? { error: capitalise(known.words) } : { value: text };
    }
  }
}

/** What a text has to look like, where the control does not say it. */
export function formatHint({ format }: Extract<Field, { kind: "text" }>): string | null {
  const known = FORMATS.get(format ?? "");
  if (format === null || known) return known?.fits ? capitalise(known.words) : null;
  return `Format: ${format}`;
}

const characters = (count: number) => `${count} ${count === 1 ? "character" : "characters"}`;

function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** Reads a time as an instant. A local time that the zone's clocks skip or show twice is an error. */
function readTime(text: string): Read {
  if (/(Z|[+-]\d{2}:\d{2})$/i.test(text) && !Number.isNaN(Date.parse(text))) return { value: text };
  const zone = localZone();
  const [instant, second] = instantsOf(text, zone);
  if (second) return { error: "The clocks show this time twice that night: choose which" };
  if (instant) return { value: instant };
  const wall = /T\d{2}:\d{2}/.test(text) && !Number.isNaN(Date.parse(text));
  return { error: wall ? `The clocks in ${zone} skip this time` : "A whole date and time" };
}

function readNumber(field: Extract<Field, { kind: "number" }>, text: string): Read {
  const read = readExactNumber(text);
  if ("error" in read) return read;
  const { value } = read;
  if (field.integer && !Number.isInteger(value)) return { error: "A whole number" };
  if (field.minimum !== null && value < field.minimum) return { error: `At least ${field.minimum}` };
  if (field.maximum !== null && value > field.maximum) return { error: `At most ${field.maximum}` };
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = field;
  if (above !== undefined && value <= above) return { error: `More than ${above}` };
  if (below !== undefined && value >= below) return { error: `Less than ${below}` };
  if (step !== undefined && !isMultipleOf(value, step)) return { error: `A multiple of ${step}` };
  return { value };
}

/** What a number has to be: `A whole number, more than 0, at most 100`. */
export function numberHint(field: Extract<Field, { kind: "number" }>): string {
  const { integer, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  const isRange = minimum !== null && maximum !== null;
  const limits = [
    isRange && `from ${minimum} to ${maximum}`,
    !isRange && minimum !== null && `at least ${minimum}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    !isRange && maximum !== null && `at most ${maximum}`,
    exclusiveMaximum !== undefined && `less than ${exclusiveMaximum}`,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
  ].filter((limit) => limit !== false);
  const kind = integer ? ["A whole number"] : limits.length > 0 ? ["A number"] : [];
  return [...kind, ...limits].join(", ");
}

function readSeveral(field: Extract<Field, { kind: "several_of" }>, chosen: string[]): Read {
  const least = field.minItems ?? (field.required ? 1 : 0);
  if (chosen.length === 0 && !field.required) return { value: undefined };
  if (chosen.length < least)
    return { error: least === 1 ? "Choose at least one" : `Choose at least ${least}` };
  if (field.maxItems !== null && chosen.length > field.maxItems)
    return { error: `Choose at most ${field.maxItems}` };
  return { value: chosen };
}
