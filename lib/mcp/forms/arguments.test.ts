import { describe, expect, it } from "vitest";
import { areQuick, validateArguments } from "./arguments.ts";

const invoice = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    invoice: {
      type: "object",
      properties: {
        customer: { type: "string" },
        lines: { type: "array", items: { $ref: "#/$defs/line" }, minItems: 1 },
        terms: { enum: ["net30", "net60"] },
      },
      required: ["customer", "lines"],
      additionalProperties: false,
    },
  },
  required: ["invoice"],
  $defs: {
    line: {
      type: "object",
      properties: { amount: { type: "number" }, due: { type: "string", format: "date" } },
    },
  },
};

/** Each part references the next one twice. */
const BOMB = {
  $ref: "#/$defs/0",
  $defs: Array.from({ length: 41 }, (_, at) =>
    at === 40 ? {} : { allOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}` }] },
  ),
};

describe("validateArguments", () => {
  it.each([
    [{ invoice: { customer: "A", lines: [{ amount: 1, due: "2026-01-31" }] } }, []],
    [{}, [{ field: "invoice", message: "invoice is missing." }]],
    [[], [{ field: "", message: "The arguments must be a group of fields." }]],
    [
      { invoice: { customer: "A", lines: [{ amount: "1" }] } },
      [{ field: "invoice.lines[0].amount", message: "invoice.lines[0].amount must be a number." }],
    ],
    [
      { invoice: { customer: "A", lines: [{}], x: 1 } },
      [{ field: "invoice.x", message: "invoice.x is not an argument of this tool." }],
    ],
    [
      { invoice: { customer: "A", lines: [{}], terms: "x" } },
      [{ field: "invoice.terms", message: 'invoice.terms must be one of "net30", "net60".' }],
    ],
  ])("judges %j", (args, errors) => {
    expect(validateArguments(invoice, args)).toEqual({ checked: true, errors });
  });

  it.each([
    [{ type: "string", format: "date-time" }, "tomorrow", "be a date and time with its zone"],
    [{ type: "string", minLength: 3 }, "a", "have at least 3 characters"],
    [{ type: ["integer", "null"] }, "1", "be a whole number or empty"],
    [{ type: "number", exclusiveMinimum: 0 }, 0, "be more than 0"],
    [{ type: "array", minItems: 1 }, [], "have at least 1 item"],
    [{ anyOf: [{ type: "string", minLength: 2 }] }, "a", "be one of the kinds"],
  ])("says in words what %j wants", (schema, a, words) => {
    const { errors } = validateArguments({ properties: { a: schema } }, { a }) as {
      errors: { message: string }[];
    };
    expect(errors.map(({ message }) => message)).toContainEqual(expect.stringContaining(`must ${words}`));
  });

  it("judges a schema that it knows as it did at first, and one that calls itself the draft's own spoils no other", () => {
    const named = { $id: "https://json-schema.org/draft/2020-12/schema", type: "object" };
    const schemas = [invoice, { type: "objekt" }, { type: "object", required: "x" }, named, invoice, BOMB];
    const judge = () => schemas.map((schema) => validateArguments(schema, {}));
    const first = judge();
    expect(first[0]).toEqual({
      checked: true,
      errors: [{ field: "invoice", message: "invoice is missing." }],
    });
    expect(first[1]).toMatchObject({ checked: false, reason: expect.stringContaining("schema is invalid") });
    expect(first[2]).toMatchObject({
      checked: false,
      reason: expect.stringContaining("required must be array"),
    });
    expect(judge()).toEqual(first);
  });

  it("speaks draft-07 where the schema does", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { items: [{ type: "number" }] } },
    };
    expect(validateArguments(schema, { a: ["x"] })).toMatchObject({ errors: [{ field: "a[0]" }] });
  });

  it("runs no expression of the server", () => {
    const slow = "^(a+)+$";
    const long = `${"a".repeat(40)}!`;
    const schema = {
      type: "object",
      properties: { a: { pattern: slow }, default: { type: "string", pattern: slow } },
      patternProperties: { "^(x+)+$": { type: "number" } },
      propertyNames: { pattern: slow },
      additionalProperties: false,
    };
    expect(validateArguments(schema, { a: long, default: long, [`${"x".repeat(40)}!`]: 1 })).toEqual({
      checked: true,
      errors: [],
    });
  });

  it("does not take an argument for a keyword", () => {
    const schema = {
      type: "object",
      properties: { pattern: { type: "string" }, patternProperties: { type: "string" } },
      required: ["pattern"],
    };
    expect(validateArguments(schema, { patternProperties: 1 })).toMatchObject({
      errors: [{ field: "pattern" }, { field: "patternProperties" }],
    });
  });

  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 100; level++) deep = { properties: { a: deep } };
  it.each([
    ["a remote reference", { properties: { a: { $ref: "https://example.com/a.json" } } }],
    ["a few lines that stand for 2^40 parts", BOMB],
    ["a promise", { $async: true, type: "object" }],
    ["nonsense", { type: "thing" }],
    ["a deep one", deep],
    ["a large one", { description: "x".repeat(300_000) }],
  ])("does not judge by %s", (_, schema) => {
    expect(validateArguments(schema, {})).toEqual({
      checked: false,
      reason: expect.stringMatching(/schema/),
    });
  });

  it("lets unknown formats and keywords pass", () => {
    expect(validateArguments({ properties: { a: { format: "iban", foo: 1 } } }, { a: "x" })).toEqual({
      checked: true,
      errors: [],
    });
  });
});

describe("areQuick", () => {
  it.each([
    ["an ordinary schema", invoice, true],
    ["a tree of references", BOMB, true], // it is not judged at all
    ["a reference to the root", { properties: { a: { $ref: "#" } } }, false],
    // The validator takes it for the root, and not for the member whose name is empty.
    ["a reference to the root with a slash", { "": {}, properties: { a: { $ref: "#/" } } }, false],
    ["a schema that takes long to compile", { oneOf: Array.from({ length: 300 }, () => false) }, false],
  ])("%s: %s", (_, schema, expected) => {
    expect(areQuick(schema, { a: { a: {} } })).toBe(expected);
  });

  it("is false where each of many errors would repeat long names", () => {
    const strict = { type: "object", additionalProperties: { additionalProperties: false } };
    const under = (name: string, count: number) => ({
      [name]: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0])),
    });
    expect(areQuick(strict, under("lines", 200))).toBe(true);
    expect(areQuick(strict, under("~".repeat(5_000), 200))).toBe(false);
    const check = validateArguments(strict, under("~".repeat(5_000), 200));
    expect(check).toMatchObject({ checked: true });
    expect(JSON.stringify(check).length).toBeLessThan(100_000);
  });
});
