/**
 * A question from a server as Intray shows it. The requested schema is the server's and untrusted: it is read into
 * the closed model of form.ts, and whatever does not fit makes the form unsupported, never half shown.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { drawnAs, readAs } from "../../text/foreign/alike.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import { saysJust } from "../../text/foreign/yes-no.ts";
import { asJson, humanise } from "../../text/labels.ts";
import { isDateText } from "../../text/time.ts";
import { trimEndOf } from "../../text/trim-end.ts";
import { QUESTION_CHARACTERS } from "../limits.ts";
import { canBeKept } from "../messages.ts";
import { distinctChoices } from "./choices.ts";
import { isMultipleOf } from "./field-checks.ts";
import { type ChoiceValue, type Field, type Form, formSchema, NEED, optionsOf } from "./form.ts";
import { canonicalJson } from "./jcs.ts";
import { secretIn } from "./secret.ts";

const MAX_FIELDS = 50;
const MAX_OPTIONS = 500;
const MAX_STRING = 10_000;

const string = z.string().max(MAX_STRING);
/** Names and choices go back to the server, exactly: what a database can't keep would come back as something else. */
const exact = string.refine(canBeKept, "has characters that can't be sent back");
const limit = z.number().optional();
const count = z.int().nonnegative().optional();
/** Reading JSON has already rounded an integer beyond 2^53. */
const number = z
  .number()
  .refine(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    "is too large to be sent exactly",
  );

/** The keywords by which a field, or the items of a list, has choices of this type. */
const choicesOf = <T extends ChoiceValue>(value: z.ZodType<T>) => ({
  enum: z.array(value).min(1).max(MAX_OPTIONS).optional(),
  oneOf: z
    .array(
      z.strictObject({
        const: value,
        title: string.nullish(),
        description: string.nullish(),
        type: z.enum(["string", "number", "integer", "boolean"]).optional(),
      }),
    )
    .min(1)
    .max(MAX_OPTIONS)
    .optional(),
  /** Legacy titles of `enum`. */
  enumNames: z.array(string).max(MAX_OPTIONS).optional(),
});
const common = { title: string.optional(), description: string.optional(), examples: z.unknown().optional() };

/**
 * The keywords of the specification, and those of current servers whose meaning is kept; no others: a keyword that is not
 * understood may change the meaning.
 */
const property = z.discriminatedUnion("type", [
  z.strictObject({
    ...common,
    ...choicesOf(exact),
    type: z.literal("string"),
    format: z.string().optional(),
    /** How the text is written: told as a format is. */
    contentEncoding: z.string().optional(),
    contentMediaType: z.string().optional(),
    contentSchema: z.unknown().optional(),
    minLength: count,
    maxLength: count,
    /** Read and dropped: a server's expression can take minutes on a short text. The server checks it again. */
    pattern: z.string().optional(),
    writeOnly: z.boolean().optional(),
    default: string.nullish(),
  }),
  z.strictObject({
    ...common,
    ...choicesOf(number),
    type: z.enum(["number", "integer"]),
    format: z.string().optional(),
    minimum: limit,
    maximum: limit,
    exclusiveMinimum: limit,
    exclusiveMaximum: limit,
    multipleOf: z.number().positive().optional(),
    default: z.number().nullish(),
  }),
  z.strictObject({
    ...common,
    ...choicesOf(z.boolean()),
    type: z.literal("boolean"),
    default: z.boolean().nullish(),
  }),
  z.strictObject({
    ...common,
    type: z.literal("array"),
    items: z.strictObject({
      ...common,
      ...choicesOf(exact),
      type: z.literal("string").optional(),
      anyOf: choicesOf(exact).oneOf,
    }),
    minItems: count,
    maxItems: count,
    uniqueItems: z.boolean().optional(),
    default: z.array(string).max(MAX_OPTIONS).nullish(),
  }),
]);
type Property = z.infer<typeof property>;

const requested = z.strictObject({
  ...common,
  type: z.literal("object"),
  properties: z.record(exact, z.unknown()).default({}),
  required: z.array(string).default([]),
  additionalProperties: z.boolean().optional(),
});

/** Choices of all fields together, each of which is compared with the others of its field. */
const MOST_CHOICES = 2_000;

/**
 * The form for a `requestedSchema` as received, of either era. No schema, or one without properties, is a form
 * without fields: to confirm is all there is to do. Never throws.
 */
export function normaliseForm(requestedSchema: unknown): Form {
  return formSchema.parse(readForm(requestedSchema));
}

function readForm(requestedSchema: unknown): Form {
  if (requestedSchema === null || requestedSchema === undefined) return { kind: "supported", fields: [] };
  const schema = requested.safeParse(
    isRecord(requestedSchema) && Object.keys(requestedSchema).length === 0
      ? { type: "object" }
      : isRecord(requestedSchema)
        ? withoutNotes(requestedSchema)
        : requestedSchema,
  );
  if (!schema.success)
    return unsupported(`The form is not a flat list of fields (${firstIssue(schema.error)})`);
  const { properties, required } = schema.data;
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS)
    return unsupported(`The form has ${names.length} fields, more than ${MAX_FIELDS}`);
  const unknown = required.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) return unsupported(`The form requires "${unknown}" but does not describe it`);

  // Parsing leaves this one out, and a field must not go missing.
  if (isRecord(requestedSchema) && hasProto(requestedSchema.properties))
    return unsupported('The field "__proto__" cannot be shown');

  const definitions = definitionsIn(requestedSchema);
  const fields: Field[] = [];
  let choices = 0;
  for (const [name, value] of Object.entries(properties)) {
    const parsed = property.safeParse(plain(value, definitions));
    if (!parsed.success)
      return unsupported(`The field "${name}" cannot be shown (${fieldIssue(parsed.error)})`);
    const secret = secretIn(name, parsed.data);
    if (secret) return { kind: "secret", field: name, reason: secret };
    const field = toField(name, parsed.data, required.includes(name));
    if (typeof field === "string") return unsupported(`The field "${name}" cannot be shown (${field})`);
    choices += optionsOf(field).length;
    if (choices > MOST_CHOICES)
      return unsupported(`The form has more than ${MOST_CHOICES.toLocaleString("en")} choices`);
    const need = field.required ? null : needIn(value);
    fields.push(need === null ? field : { ...field, need });
  }
  const told = toldApart(fields);
  if (!told) return unsupported("Two fields are called the same, whatever stands behind their titles");
  const about = lines(schema.data.title, schema.data.description, exampleWords(schema.data));
  return { kind: "supported", ...(about !== null && { about }), fields: told };
}

/**
 * Fields whose titles read the same, with the name of each behind its title: each is sent under its own. Null if two read the same
 * even so.
 */
function toldApart(fields: Field[], rounds = 3): Field[] | null {
  const keys = fields.map(({ title }) => readAs(title));
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size === fields.length) return fields;
  const told = fields.map((field, at) =>
    counts.get(keys[at]!) === 1
      ? field
      : {
          ...field,
          title: `${field.title} (${/^[\w.-]+$/.test(field.name) ? field.name : asJson(field.name)})`,
        },
  );
  // A title may be written as another's with its name. Names of other capitals alone are told apart by those.
  const titles = new Set(told.map(({ title }) => drawnAs(title)));
  if (titles.size === fields.length) return told;
  return rounds === 1 ? null : toldApart(told, rounds - 1);
}

/**
 * What an answer binds to: sha256 in hex of the RFC 8785 form of the question. `taskId` is our own id of the task,
 * not the server's; `requestedSchema` and `url` are as received. If the question was cut, or can't be
 * read, the digest of the whole is part of it.
 */
export function questionHash(question: {
  taskId: string;
  mode: "form" | "url";
  message: string;
  requestedSchema: unknown;
  url: string | null;
  cut?: { digest: string };
  unreadable?: { digest: string };
}): string {
  const { taskId, mode, message, requestedSchema, url, cut, unreadable } = question;
  const text = canonicalJson({
    v: 1,
    taskId,
    mode,
    message,
    requestedSchema: requestedSchema ?? null,
    url,
    ...(cut && { cut: cut.digest }),
    ...(unreadable && { unreadable: unreadable.digest }),
  });
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** The field, or why it cannot be shown. */
function toField(name: string, from: Property, required: boolean): Field | string {
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
      isShown ? null : `The server suggests “${suggested}”, which the field can’t show.`,
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

/** Says under which name a yes or a no is sent, unless the title has just its words. */
function nameWords(name: string, title: string, { type, description }: Property): string | null {
  if (type !== "boolean" || saysJust(trimEndOf(title, "?"), humanise(name))) return null;
  // As `toldApart` writes it.
  if ([name, asJson(name)].some((said) => title.endsWith(`(${said})`))) return null;
  const said = `Sent as “${visibleText(name)}”.`;
  // A form that was read before says so already.
  return description?.startsWith(said) ? null : said;
}

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
  return format === "date" ? text.length === 10 : text.length > 10;
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
    ...unknown.map((value) => `The server suggests “${value}”, which is none of the choices.`),
  );
  return { options, more, suggested: defaults.filter((value) => values.includes(value)) };
}

/** Examples change nothing of what may be answered, and people read them. */
function exampleWords({ examples }: { examples?: unknown }): string | null {
  const all = Array.isArray(examples) ? examples : examples === undefined ? [] : [examples];
  const words = all.map((example) => (typeof example === "string" ? example : JSON.stringify(example)));
  return words.length > 0 ? `For example: ${words.join(", ")}` : null;
}

/** Texts below one another; null if there are none. */
function lines(...texts: (string | null | undefined)[]): string | null {
  return texts.filter((text) => text?.trim()).join("\n") || null;
}

/**
 * A nullable property as the plain one, since an empty field is left out of the answer: `type: ["string", "null"]`,
 * or `anyOf` with null as Python's schema generators write it. A single value is the only choice; choices without a type are
 * of the first one's. A reference is what it refers to (Python's `Enum`).
 */
function plain(given: unknown, definitions: Definitions, references = 0): unknown {
  if (!isRecord(given)) return given;
  const { const: only, ...value } = withoutNotes(given);
  if (typeof value.$ref === "string") {
    const meant = references < MOST_REFERENCES ? referred({ ...value, $ref: value.$ref }, definitions) : null;
    return meant ? plain(meant, definitions, references + 1) : given;
  }
  if (only !== undefined)
    return plain({ ...value, enum: value.enum === undefined ? [only] : [] }, definitions, references);
  if (isRecord(value.items)) value.items = plain(value.items, definitions, references);
  const { anyOf, ...rest } = value;
  if (Array.isArray(anyOf) && rest.type === undefined) {
    const [kind, ...others] = anyOf.filter((kind) => !isNull(kind));
    // The choices of a list, of which there is one.
    if (anyOf.length === 1 && isRecord(kind) && kind.const !== undefined) return value;
    // A text said twice would be shown once.
    const isWhole = isRecord(kind) && others.length === 0 && !Object.keys(kind).some((key) => key in rest);
    return isWhole ? plain({ ...kind, ...rest }, definitions, references) : value;
  }
  if (value.type === undefined) {
    const type = typeOfChoices(value);
    return type === null ? value : { ...value, type };
  }
  if (!Array.isArray(value.type)) return value;
  const types = value.type.filter((type) => type !== "null");
  const choices = Array.isArray(value.enum) ? withoutNull(value) : {};
  return types.length === 1 ? { ...value, ...choices, type: types[0] } : value;
}

interface Definitions {
  /** By how properties refer to them, with the characters of each. */
  named: Map<string, { definition: Record<string, unknown>; characters: number }>;
  /** Characters that references may still bring in: fifty fields may refer to one large definition. */
  left: number;
}

/** A property refers on at most so often, which also ends one that refers to itself. */
const MOST_REFERENCES = 5;

/** The definitions of a schema, by how its properties refer to them. */
function definitionsIn(schema: unknown): Definitions {
  const named: Definitions["named"] = new Map();
  for (const place of ["$defs", "definitions"])
    for (const [name, definition] of Object.entries((isRecord(schema) && schema[place]) || {}))
      if (isRecord(definition))
        named.set(`#/${place}/${name}`, { definition, characters: JSON.stringify(definition).length });
  return { named, left: QUESTION_CHARACTERS };
}

/** A definition with what stands beside the reference. Null if both say the same keyword, but for their words, which are joined. */
function referred(
  { $ref, ...beside }: Record<string, unknown> & { $ref: string },
  definitions: Definitions,
): Record<string, unknown> | null {
  const { definition, characters = 0 } = definitions.named.get($ref) ?? {};
  definitions.left -= characters;
  if (!definition || definitions.left < 0) return null;
  const joined: Record<string, unknown> = { ...definition, ...beside };
  for (const [key, value] of Object.entries(beside)) {
    const own = Object.hasOwn(definition, key) ? definition[key] : undefined;
    if (own === undefined || own === null || own === value) continue;
    if (!["title", "description"].includes(key) || typeof own !== "string" || typeof value !== "string")
      return null;
    joined[key] = key === "title" ? `${value} · ${own}` : lines(value, own);
  }
  return joined;
}

function typeOfChoices({ enum: values, oneOf }: Record<string, unknown>): string | null {
  const [first] = Array.isArray(values) ? values : Array.isArray(oneOf) ? oneOf : [];
  const type = typeof (isRecord(first) ? first.const : first);
  return ["string", "number", "boolean"].includes(type) ? type : null;
}

function isNull(kind: unknown): boolean {
  return isRecord(kind) && kind.type === "null" && Object.keys(kind).length === 1;
}

const NOTES = ["$comment", "$schema", "$id", "$anchor", "$defs", "definitions"];

/** Whether people need not see a keyword, and it does not limit the answer. */
function isNote([keyword, value]: [string, unknown]): boolean {
  if (NOTES.includes(keyword) || keyword.startsWith("x-")) return true;
  if (keyword === "deprecated" && typeof value === "boolean") return true;
  // `const: null` is kept, so that the form is refused: no field can send null.
  return (value === null && keyword !== "const") || (value === false && /^(read|write)Only$/.test(keyword));
}

/** Choices without the one of no answer, and their titles; the title of that one stands in the description. */
function withoutNull({ enum: values, enumNames: titles, description }: Record<string, unknown>) {
  const all = values as unknown[];
  const choices = { enum: all.filter((each) => each !== null) };
  if (!Array.isArray(titles)) return choices;
  const isOfNull = (title: unknown, at: number) => all[at] === null && typeof title === "string";
  const said = titles.filter(isOfNull).filter((title) => title.trim() !== "");
  const isText = description === undefined || typeof description === "string";
  return {
    ...choices,
    enumNames: titles.filter((title, at) => !isOfNull(title, at)),
    ...(said.length > 0 &&
      isText && { description: lines(description, ...said.map((title) => `No answer means: ${title}`)) }),
  };
}

function needIn(property: unknown): string | null {
  const need = isRecord(property) ? property[NEED] : null;
  return typeof need === "string" && need.trim() !== "" && need.length <= MAX_STRING ? need.trim() : null;
}

function withoutNotes(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter((entry) => !isNote(entry)));
}

function hasProto(properties: unknown): boolean {
  return isRecord(properties) && Object.hasOwn(properties, "__proto__");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unsupported(reason: string): Form {
  return { kind: "unsupported", reason };
}

/** What is wrong with a field; of its type in words that need no schema to be understood. */
function fieldIssue(error: z.ZodError): string {
  return error.issues[0]?.path[0] === "type" ? "forms have no fields of its type" : firstIssue(error);
}

/** Where and what, in a few words; the server's own names are cut short. */
function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return "not understood";
  const at = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return `"${issue.keys[0]?.slice(0, 60)}" is not known`;
  return `${at === "" ? "" : `${at.slice(0, 60)}: `}${issue.message.slice(0, 120)}`;
}
