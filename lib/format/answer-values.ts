import type { Field } from "../mcp/form.ts";

/** What the fields hold while a person types: text as typed, or the chosen values. */
export type AnswerValues = Record<string, string | string[]>;

/** The first values of a form: the draft where there is one, else the server's suggestions for typed fields. */
export function initialValues(fields: Field[], draft: Record<string, unknown> | null): AnswerValues {
  return Object.fromEntries(fields.map((field) => [field.name, initialValue(field, draft?.[field.name])]));
}

/**
 * What a draft keeps: whatever differs from the untouched form. A suggestion that was cleared stays cleared, and an
 * untouched form is no draft.
 */
export function draftContent(fields: Field[], values: AnswerValues): AnswerValues {
  const untouched = initialValues(fields, null);
  const changed = fields.flatMap(({ name }) => {
    const value = values[name];
    return value !== undefined && String(value) !== String(untouched[name]) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(changed);
}

function initialValue(field: Field, drafted: unknown): string | string[] {
  if (field.kind === "several_of") {
    return Array.isArray(drafted) ? drafted.filter((value) => typeof value === "string") : [];
  }
  // The draft may be of an earlier form, where this name was a list.
  if (["string", "number", "boolean"].includes(typeof drafted)) return String(drafted);
  // A choice is never made for a person; typed text that the server suggests stands in the field, named as such.
  if ((field.kind === "text" || field.kind === "number") && field.default !== null)
    return String(field.default);
  return "";
}

export interface FieldError {
  field: string;
  message: string;
}

/** The content to send, or what is wrong with it. The server checks again. */
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
  if (field.kind === "several_of") return readSeveral(field, Array.isArray(value) ? value : []);
  const text = typeof value === "string" ? value : "";
  if (text.trim() === "") return field.required ? { error: missing(field) } : { value: undefined };
  if (field.kind === "number") return readNumber(field, text.trim());
  if (field.kind === "boolean") return { value: text === "true" };
  if (field.kind === "one_of") return { value: text };
  return readText(field, text);
}

function missing(field: Field): string {
  return field.kind === "one_of" || field.kind === "boolean" ? "Choose one" : "Fill this in";
}

function readText(field: Extract<Field, { kind: "text" }>, text: string): Read {
  const length = [...text].length;
  if (field.minLength !== null && length < field.minLength)
    return { error: `At least ${field.minLength} characters` };
  if (field.maxLength !== null && length > field.maxLength)
    return { error: `At most ${field.maxLength} characters` };
  if (field.format === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
    return { error: "An e-mail address" };
  if (field.format === "uri" && !URL.canParse(text))
    return { error: "A full address, such as https://example.com" };
  if (field.format === "date-time" && Number.isNaN(Date.parse(text))) return { error: "A date and a time" };
  return { value: field.format === "date-time" ? toOffsetTime(text) : text };
}

function readNumber(field: Extract<Field, { kind: "number" }>, text: string): Read {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    return { error: "A number, with a point for decimals" };
  const value = Number(text);
  if (field.integer && !/^[+-]?\d+$/.test(text)) return { error: "A whole number" };
  // JSON numbers are doubles for most servers: refuse what would be rounded on the way.
  const digits = text.replace(/e.*$/i, "").replace(/[^\d]/g, "").replace(/^0+/, "");
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER || digits.length > 16) {
    return { error: "Too many digits to be sent exactly" };
  }
  if (field.minimum !== null && value < field.minimum) return { error: `At least ${field.minimum}` };
  if (field.maximum !== null && value > field.maximum) return { error: `At most ${field.maximum}` };
  return { value };
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

/** `2026-11-21T14:00` as typed, with the person's own offset: `2026-11-21T14:00:00+01:00`. */
export function toOffsetTime(text: string): string {
  if (/(Z|[+-]\d{2}:\d{2})$/.test(text)) return text;
  const minutes = -new Date(text).getTimezoneOffset();
  const pad = (value: number) => String(value).padStart(2, "0");
  const offset = `${minutes < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;
  return `${text}${/T\d{2}:\d{2}$/.test(text) ? ":00" : ""}${offset}`;
}

/** The reverse, for a date-time field: the same instant as local time without an offset. */
export function toLocalTime(text: string): string {
  if (!/(Z|[+-]\d{2}:\d{2})$/.test(text)) return text;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
