/**
 * The JSON Schema that a server may send for a form, and the ways of writing it that are read as one: nullable types, single values,
 * references. A keyword that is not listed here makes the form unsupported, since it may change the meaning.
 */
import { z } from "zod";
import { isRecord } from "../../text/json.ts";
import { QUESTION_CHARACTERS } from "../limits.ts";
import { canBeKept } from "../messages.ts";
import { type ChoiceValue, NEED } from "./form.ts";

const MAX_OPTIONS = 500;
const MAX_STRING = 10_000;

const string = z.string().max(MAX_STRING);
/** Names and choices go back to the server, exactly: what a database can't keep would come back as something else. */
const exact = string.refine(canBeKept, "has characters that can’t be sent back");
const limit = z.number().optional();
const count = z.int().nonnegative().optional();
/** Reading JSON has already rounded an integer beyond 2^53. */
const number = z
  .number()
  .refine(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    "is too large: it would lose digits when it is sent",
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
export const property = z.discriminatedUnion("type", [
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

export type Property = z.infer<typeof property>;

export const requested = z.strictObject({
  ...common,
  type: z.literal("object"),
  properties: z.record(exact, z.unknown()).default({}),
  required: z.array(string).default([]),
  additionalProperties: z.boolean().optional(),
});

/**
 * A nullable property as the plain one, since an empty field is left out of the answer: `type: ["string", "null"]`,
 * or `anyOf` with null as Python's schema generators write it. A single value is the only choice; choices without a type are
 * of the first one's. A reference is what it refers to (Python's `Enum`).
 */
export function plain(given: unknown, definitions: Definitions, references = 0): unknown {
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
export function definitionsIn(schema: unknown): Definitions {
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

export function needIn(property: unknown): string | null {
  const need = isRecord(property) ? property[NEED] : null;
  return typeof need === "string" && need.trim() !== "" && need.length <= MAX_STRING ? need.trim() : null;
}

/** Whether it says for which choices a field is needed, as lib/servers/recipes/choices.ts does, and nothing else: it stands in Intray's own place. */
export function isNeed(need: string, labels: readonly string[]): boolean {
  const named = /^(?:needed for|optional, for) “(.*)”$/su.exec(need)?.[1]?.split("” or “") ?? [];
  return named.length > 0 && named.every((label) => labels.includes(label));
}

/** The choices of a form that may say what its other fields are for. */
export function labelsIn(properties: Record<string, unknown>): string[] {
  return Object.values(properties)
    .flatMap((one) => (isRecord(one) && Array.isArray(one.enum) ? one.enum : []))
    .filter((label) => typeof label === "string");
}

export function withoutNotes(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter((entry) => !isNote(entry)));
}

/** Texts below one another; null if there are none. */
export function lines(...texts: (string | null | undefined)[]): string | null {
  return texts.filter((text) => text?.trim()).join("\n") || null;
}
