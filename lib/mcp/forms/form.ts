/**
 * The closed form model: how Intray renders, validates and sends back an elicitation. Pure and client-safe.
 * Covers the elicitation subset that 2025-11-25 and 2026-07-28 share (SEP-1034, SEP-1330).
 */
import { z } from "zod";
import { visibleText } from "../../text/foreign/hidden.ts";

/** An annotation of a property in a requested schema: the field's `need`. */
export const NEED = "x-intray-need";

/** A text of the server's that people read. Hidden characters could make it read as something else, so they are marked. */
const read = z.string().overwrite((text) => inFewLines(visibleText(text)));

/** Further line breaks are drawn as signs: a page of them would put what follows out of sight. */
const MOST_LINES = 14;

function inFewLines(text: string): string {
  let lines = 1;
  return text
    .replace(/[^\S\n]{3,}/g, "  ")
    .replace(/\n/g, (lineBreak) => (++lines > MOST_LINES ? " ⏎ " : lineBreak));
}

const base = {
  name: z.string(),
  title: read,
  description: read.nullable(),
  required: z.boolean(),
  /** When it is needed, where that depends on another answer. Never of a required field. */
  need: read.optional(),
};

const option = z.object({ value: z.string(), title: read });
export type FieldOption = z.infer<typeof option>;
/** What is sent for a choice of one: of the type that the server's schema has. */
export const choiceValueSchema = z.union([z.string(), z.number(), z.boolean()]);
export type ChoiceValue = z.infer<typeof choiceValueSchema>;
const choice = option.extend({ value: choiceValueSchema });

const fieldSchema = z.discriminatedUnion("kind", [
  z.object({
    ...base,
    kind: z.literal("text"),
    /** Checked if it is one of field-checks.ts, else only told. */
    format: z.string().nullable(),
    minLength: z.number().nullable(),
    maxLength: z.number().nullable(),
    default: z.string().nullable(),
  }),
  z.object({
    ...base,
    kind: z.literal("number"),
    integer: z.boolean(),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
    exclusiveMinimum: z.number().optional(),
    exclusiveMaximum: z.number().optional(),
    multipleOf: z.number().positive().optional(),
    default: z.number().nullable(),
  }),
  z.object({ ...base, kind: z.literal("boolean"), default: z.boolean().nullable() }),
  z.object({
    ...base,
    kind: z.literal("one_of"),
    options: z.array(choice),
    default: choiceValueSchema.nullable(),
  }),
  z.object({
    ...base,
    kind: z.literal("several_of"),
    options: z.array(option),
    minItems: z.number().nullable(),
    maxItems: z.number().nullable(),
    default: z.array(z.string()),
  }),
]);
export type Field = z.infer<typeof fieldSchema>;
export type FieldKind = Field["kind"];

export const fieldKindSchema = z.enum(fieldSchema.options.map(({ shape }) => shape.kind.value));

/**
 * `supported`: the fields are rendered (none = confirm only), below `about`, what the server says of the form as a whole.
 * `unsupported` and `secret`: nothing is rendered, and only decline or cancel are possible; `reason` is for people.
 */
export const formSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("supported"), about: read.optional(), fields: z.array(fieldSchema) }),
  z.object({ kind: z.literal("unsupported"), reason: read }),
  z.object({ kind: z.literal("secret"), reason: read, field: z.string() }),
]);
export type Form = z.infer<typeof formSchema>;
