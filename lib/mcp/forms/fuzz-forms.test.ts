/** Fuzzes forms: for any schema the form is sound, and accepts exactly the values that the schema accepts. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect } from "vitest";
import { fuzz, nearly, oddJson, oddNumber, oddText } from "../../../test/random/fuzz.ts";
import { headerValue } from "../wire/headers.ts";
import { validateArguments } from "./arguments.ts";
import { validateContent } from "./content.ts";
import { type Field, formSchema } from "./form.ts";
import { canonicalJson } from "./jcs.ts";
import { questionHash } from "./question-hash.ts";
import { normaliseForm } from "./read-form.ts";

const word = fc.constantFrom("a", "b", "amount", "note", "toString", "constructor", "é", "a/b", "a~b");
const choices = fc.uniqueArray(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 4 });
const count = fc.integer({ min: 0, max: 4 });
const property = fc.oneof(
  fc.record(
    { type: fc.constant("string"), minLength: count, maxLength: count, title: fc.string() },
    { requiredKeys: ["type"] },
  ),
  fc.record({
    type: fc.constant("string"),
    format: fc.constantFrom(
      ...["email", "uri", "date", "date-time", "time", "duration", "uuid", "ipv4", "ipv6", "hostname"],
    ),
  }),
  choices.map((values) => ({ type: "string", enum: values })),
  choices.map((values) => ({ type: "string", oneOf: values.map((value) => ({ const: value, title: "t" })) })),
  fc.record(
    {
      type: fc.constantFrom("number", "integer"),
      minimum: fc.integer(),
      maximum: fc.integer(),
      exclusiveMinimum: fc.integer({ min: -3, max: 3 }),
      exclusiveMaximum: fc.integer({ min: -3, max: 3 }),
      multipleOf: fc.constantFrom(0.25, 0.5, 1, 3),
    },
    { requiredKeys: ["type"] },
  ),
  fc
    .uniqueArray(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 4 })
    .map((values) => ({ type: "integer", enum: values })),
  fc.constant({ type: "boolean" }),
  fc.oneof(
    fc.boolean().map((value) => ({ type: "boolean", const: value })),
    fc.string({ maxLength: 2 }).map((value) => ({ type: "string", const: value })),
    fc.integer({ min: -3, max: 3 }).map((value) => ({ const: value })),
  ),
  fc
    .tuple(choices, fc.record({ minItems: count, maxItems: count }, { requiredKeys: [] }))
    .map(([values, more]) => ({ type: "array", items: { type: "string", enum: values }, ...more })),
);
const schema = fc.array(fc.tuple(word, property, fc.boolean()), { maxLength: 4 }).map((members) => ({
  type: "object",
  properties: Object.fromEntries(members.map(([name, of]) => [name, of])),
  required: [...new Set(members.filter(([, , required]) => required).map(([name]) => name))],
}));
const bent = nearly({
  type: fc.constant("object"),
  title: oddText,
  required: fc.array(oddText, { maxLength: 2 }),
  properties: fc
    .array(
      fc.tuple(
        oddText,
        nearly({
          type: fc.constantFrom("string", "number", "integer", "boolean", "array"),
          title: oddText,
          enum: fc.array(oddText, { maxLength: 3 }),
          minLength: oddNumber,
          minimum: oddNumber,
          exclusiveMaximum: oddNumber,
          multipleOf: oddNumber,
          const: oddJson,
          format: oddText,
          items: oddJson,
          pattern: oddText,
          default: oddJson,
        }),
      ),
      { maxLength: 3 },
    )
    .map((entries) => Object.fromEntries(entries)),
});
const value = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom("2026-02-28", "2026-02-30", "a@b.co", "https://a.example", "2026-02-28T09:30:00Z"),
  fc.constantFrom(
    "09:30:00Z",
    "09:30",
    "24:00:00Z",
    "P1D",
    "PT",
    "::1",
    "1:2",
    "192.0.2.1",
    "a.example",
    "-a",
  ),
  fc.constantFrom("123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"),
  fc.integer({ min: -4, max: 4 }),
  fc.constantFrom(0.25, 0.3, 0.75, 1.5),
  oddNumber,
  fc.boolean(),
  fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 }),
  oddJson,
);
const content = fc
  .array(fc.tuple(word, value), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

/** Converts the form back to a schema. */
function written({
  about,
  fields,
}: {
  about?: string | undefined;
  fields: Field[];
}): Record<string, unknown> {
  const one = (field: Field): Record<string, unknown> => {
    const said = (members: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(members).filter(([, member]) => member !== null));
    const base = { title: field.title, description: field.description };
    const titled = (options: { value: unknown; title: string }[]) =>
      options.map(({ value, title }) => ({ const: value, title }));
    switch (field.kind) {
      case "text":
        return said({
          ...base,
          type: "string",
          format: field.format,
          minLength: field.minLength,
          maxLength: field.maxLength,
          default: field.default,
        });
      case "number":
        return said({
          ...base,
          type: field.integer ? "integer" : "number",
          minimum: field.minimum,
          maximum: field.maximum,
          exclusiveMinimum: field.exclusiveMinimum ?? null,
          exclusiveMaximum: field.exclusiveMaximum ?? null,
          multipleOf: field.multipleOf ?? null,
          default: field.default,
        });
      case "boolean":
        return said({ ...base, type: "boolean", default: field.default });
      case "one_of":
        return said({ ...base, oneOf: titled(field.options), default: field.default });
      case "several_of":
        return said({
          ...base,
          type: "array",
          items: { anyOf: titled(field.options) },
          minItems: field.minItems,
          maxItems: field.maxItems,
          default: field.default,
        });
    }
  };
  return {
    type: "object",
    ...(about && { description: about }),
    properties: Object.fromEntries(fields.map((field) => [field.name, one(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

fuzz(
  "any JSON as a schema gives a sound form, the same each time, and the same when it is written down and read again",
  fc.property(fc.oneof(oddJson, bent, schema), (requested) => {
    const form = normaliseForm(requested);
    expect(formSchema.parse(form)).toEqual(form);
    expect(normaliseForm(structuredClone(requested))).toEqual(form);
    if (form.kind !== "supported") {
      expect(form.reason.length).toBeLessThan(25_000);
      return;
    }
    expect(form.fields.length).toBeLessThanOrEqual(50);
    expect(normaliseForm(written(form))).toEqual(form);
  }),
);

const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });
addFormats.default(ajv);

fuzz(
  "an answer is taken exactly where the server's schema takes it",
  fc.property(schema, fc.array(content, { minLength: 10, maxLength: 20 }), (requested, answers) => {
    const form = normaliseForm(requested);
    if (form.kind !== "supported") return;
    const theirs = ajv.compile({ ...requested, additionalProperties: false });
    for (const given of answers) {
      const isTheirs = theirs(given);
      const isOurs = validateContent(form, given).ok;
      if (isOurs) expect(isTheirs).toBe(true);
      // Intray refuses two more things: inexact numbers, and the same choice twice.
      const isPlain = Object.values(given as object).every(
        (one) =>
          (!Array.isArray(one) || new Set(one).size === one.length) &&
          (typeof one !== "number" || !Number.isInteger(one) || Number.isSafeInteger(one)),
      );
      if (isTheirs && isPlain) expect(isOurs).toBe(true);
    }
  }),
  // Each run compiles a schema and compares up to 20 answers.
  40,
);

fuzz(
  "content of any kind is judged, for any form",
  fc.property(fc.oneof(bent, schema), oddJson, (requested, given) => {
    const checked = validateContent(normaliseForm(requested), given);
    if (!checked.ok) for (const { message } of checked.errors) expect(message).toMatch(/^[\s\S]{4,}\.$/);
  }),
);

/** Returns the same value with its members in reverse order. */
function turned(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(turned);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}
const hash = (requestedSchema: unknown, message = "m") =>
  questionHash({ taskId: "t", mode: "form", message, requestedSchema, url: null });

fuzz(
  "the hash of a question does not depend on the order of members, and on everything else",
  fc.property(oddJson, oddJson, oddText, (one, other, message) => {
    expect(hash(turned(one))).toBe(hash(one));
    // JSON turns -0 into 0.
    const isSame =
      canonicalJson(JSON.parse(JSON.stringify(one))) === canonicalJson(JSON.parse(JSON.stringify(other)));
    expect(hash(one) === hash(other)).toBe(isSame || (one ?? null) === (other ?? null));
    expect(hash([one, "x"])).not.toBe(hash([one, "y"]));
    expect(hash(one, `${message}x`)).not.toBe(hash(one, message));
    expect(canonicalJson(JSON.parse(canonicalJson(one)))).toBe(canonicalJson(one));
  }),
);

const toolSchema = nearly({
  $schema: fc.constantFrom(
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
  ),
  type: fc.constant("object"),
  properties: bent,
  required: fc.array(oddText, { maxLength: 2 }),
  $ref: fc.constantFrom("#", "#/properties/a", "http://127.0.0.1:1/", "file:///etc/passwd"),
  $defs: oddJson,
  pattern: fc.constant("^(a+)+$"),
  allOf: fc.array(bent, { maxLength: 2 }),
  if: bent,
});

fuzz(
  "arguments are judged by any schema, or the schema is said to be beyond us; nothing is thrown",
  fc.property(fc.oneof(toolSchema, bent), oddJson, (inputSchema, args) => {
    const checked = validateArguments(inputSchema, args);
    if (!checked.checked) expect(checked.reason.length).toBeLessThan(300);
    else expect(checked.errors.length).toBeLessThanOrEqual(50);
  }),
);

fuzz(
  "a header has any text, in characters that HTTP can carry",
  fc.property(oddText, (text) => {
    const header = headerValue(text);
    expect(header).toMatch(/^[\t\x20-\x7e]+$/);
    const coded = /^=\?base64\?(.*)\?=$/.exec(header);
    const read = coded ? Buffer.from(coded[1] ?? "", "base64").toString("utf8") : header;
    expect(read).toBe(text.toWellFormed());
  }),
);

/** A schema in which every text that a person could be thought to have read is another one. */
const texts = (at: string) => ({
  title: `${at} title`,
  description: `${at} description`,
  examples: [`${at} example`],
});
const readable = fc.record(
  {
    about: fc.constant(texts("form")),
    text: fc.constant({ type: "string", ...texts("text"), default: "text default" }),
    date: fc.constant({ type: "string", format: "date", ...texts("date"), default: "date default" }),
    number: fc.constant({ type: ["number", "null"], ...texts("number") }),
    nullable: fc.constant({
      anyOf: [{ type: "string", title: "inner title" }, { type: "null" }],
      description: "outer",
    }),
    twice: fc.constant({
      anyOf: [{ type: "string", title: "one title" }, { type: "null" }],
      title: "other title",
    }),
    none: fc.constant({ anyOf: [{ type: "string" }, { type: "null", description: "null description" }] }),
    boolean: fc.constant({ type: "boolean", ...texts("boolean") }),
    enum: fc.constant({
      type: "string",
      ...texts("enum"),
      enum: ["e1", "e2"],
      enumNames: ["E one"],
      default: "enum default",
    }),
    names: fc.constant({ type: "string", enum: ["n1"], enumNames: ["N one", "N two"] }),
    both: fc.constant({ type: "string", enum: ["b1"], oneOf: [{ const: "b1", title: "B one" }] }),
    oneOf: fc.constant({
      ...texts("oneOf"),
      oneOf: [{ const: "approve", title: "Reject", description: "choice description" }, { const: "o2" }],
      default: "oneOf default",
    }),
    several: fc.constant({
      type: "array",
      ...texts("several"),
      items: {
        anyOf: [
          { const: "s1", title: "S same", description: "s1 description" },
          { const: "s2", title: "S same" },
        ],
      },
      default: ["s1", "several default"],
    }),
    items: fc.constant({ type: "array", items: { type: "string", title: "items title", enum: ["i1"] } }),
  },
  { requiredKeys: [] },
);

/** The texts under keywords for people, wherever they are. */
function textsIn(json: unknown, keyword = ""): string[] {
  if (typeof json === "string")
    return ["title", "description", "examples", "default", "enumNames"].includes(keyword) ? [json] : [];
  if (Array.isArray(json)) return json.flatMap((each) => textsIn(each, keyword));
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => textsIn(value, key));
}

fuzz(
  "every text of a schema that a person could be thought to have read is in the form, or the form is refused",
  fc.property(readable, fc.boolean(), ({ about, ...properties }, isRequired) => {
    const required = isRequired ? Object.keys(properties) : [];
    const requested = { type: "object", ...about, properties, required };
    const form = normaliseForm(requested);
    if (form.kind !== "supported") return;
    const read = JSON.stringify(form);
    for (const text of textsIn(requested)) expect(read).toContain(text);
  }),
);
