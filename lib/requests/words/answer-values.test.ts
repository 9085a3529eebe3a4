import { describe, expect, test } from "vitest";
import type { Field } from "../../mcp/forms/form.ts";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { formatsOf } from "../../text/formats/formats.ts";
import {
  cellsBeside,
  draftContent,
  formatHint,
  heldAs,
  initialValues,
  numberHint,
  readAnswer,
  sentCells,
  sentValues,
  UNFINISHED,
} from "./answer-values.ts";

const base = { name: "f", title: "F", description: null, required: true };
const text = (over: object = {}): Field => ({
  ...base,
  kind: "text",
  format: null,
  minLength: null,
  maxLength: null,
  default: null,
  ...over,
});
const number = (over: object = {}): Field => ({
  ...base,
  kind: "number",
  integer: false,
  minimum: null,
  maximum: null,
  default: null,
  ...over,
});
const stars: Field = {
  ...base,
  kind: "one_of",
  options: [1, 2].map((value) => ({ value, title: `${value} of 2` })),
  default: 2,
};
const several = (over: object = {}): Field => ({
  ...base,
  kind: "several_of",
  options: [],
  minItems: null,
  maxItems: null,
  default: ["x"],
  ...over,
});

const UUID = "123e4567-e89b-12d3-a456-426614174000";

describe("what is typed", () => {
  test.each<[string, Field, string | string[], unknown]>([
    ["text", text(), "hello", "hello"],
    ["an optional field left empty is not sent", text({ required: false }), "", undefined],
    ["a number", number(), " 12.5 ", 12.5],
    ["a number in groups of three", number(), "1 234 567.5", 1_234_567.5],
    ["a number pasted with a real minus", number(), "\u22121.50", -1.5],
    ["a number as a computer writes it", number(), "1.5e3", 1500],
    ["a fraction that is not exact in binary, as everywhere", number(), "0.1", 0.1],
    ["the largest exact integer", number({ integer: true }), "9007199254740991", 9_007_199_254_740_991],
    ["a whole number", number({ integer: true }), "12.0", 12],
    ["a date", text({ format: "date" }), "2028-02-29", "2028-02-29"],
    ["an instant", text({ format: "date-time" }), "2026-11-21T14:00:00+01:00", "2026-11-21T14:00:00+01:00"],
    ["text of several bytes a letter by its letters", text({ maxLength: 2 }), "🦊é", "🦊é"],
    ["a whole number", number({ integer: true }), "-3", -3],
    ["yes", { ...base, kind: "boolean", default: null }, "true", true],
    ["no", { ...base, kind: "boolean", default: null }, "false", false],
    ["several", several(), ["a", "b"], ["a", "b"]],
    ["a number that is a choice, as a number", stars, "2", 2],
    ["a number between limits", number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }), "0.5", 0.5],
    ["a multiple that is not exact in binary", number({ multipleOf: 0.1 }), "0.3", 0.3],
    ["a UUID", text({ format: "uuid" }), UUID, UUID],
    ["a time", text({ format: "time" }), "09:30:00+01:00", "09:30:00+01:00"],
    ["text of a format that is only told", text({ format: "constructor" }), "anything", "anything"],
  ])("%s", (_, field, value, expected) => {
    expect(readAnswer([field], { f: value })).toEqual({
      content: expected === undefined ? {} : { f: expected },
      errors: [],
    });
  });
});

describe("what is refused", () => {
  test.each<[string, Field, string | string[]]>([
    ["a required field left empty", text(), " "],
    ["too short a text", text({ minLength: 3 }), "ab"],
    ["no e-mail address", text({ format: "email" }), "a@b"],
    ["no number", number(), "12,5"],
    ["commas, which mean thousands here and decimals there", number(), "1,234"],
    ["groups that are not of three", number(), "1 23"],
    ["infinity", number(), "1e999"],
    ["a day that is not there", text({ format: "date" }), "2026-02-29"],
    [
      "a date of which parts are missing, though it is optional",
      text({ format: "date", required: false }),
      UNFINISHED,
    ],
    ["a time of which parts are missing", text({ format: "date-time" }), UNFINISHED],
    ["too long a text", text({ maxLength: 1 }), "ab"],
    ["no address", text({ format: "uri" }), "example.com"],
    ["a fraction for a whole number", number({ integer: true }), "1.5"],
    ["an integer beyond 2^53, which would be rounded", number({ integer: true }), "9007199254740993"],
    ["more digits than a double holds", number(), "0.12345678901234567"],
    ["below the minimum", number({ minimum: 0 }), "-1"],
    ["a limit itself", number({ exclusiveMinimum: 0 }), "0"],
    ["the upper limit itself", number({ exclusiveMaximum: 1 }), "1"],
    ["no multiple", number({ multipleOf: 0.5 }), "0.75"],
    ["no UUID", text({ format: "uuid" }), "123e4567"],
    ["a time without a zone", text({ format: "time" }), "09:30:00"],
    ["nothing chosen where something must be", several(), []],
    ["more chosen than allowed", several({ maxItems: 1 }), ["a", "b"]],
  ])("%s", (_, field, value) => {
    const { content, errors } = readAnswer([field], { f: value });
    expect(content).toEqual({});
    expect(errors).toMatchObject([{ field: "f" }]);
  });
});

test.each<[Partial<Extract<Field, { kind: "number" }>>, string]>([
  [{}, ""],
  [{ integer: true }, "A whole number"],
  [{ minimum: 0, maximum: 5 }, "A number, from 0 to 5"],
  [{ exclusiveMinimum: 0, maximum: 10_000 }, "A number, more than 0, at most 10000"],
  [{ integer: true, minimum: 1, exclusiveMaximum: 9 }, "A whole number, at least 1, less than 9"],
  [{ multipleOf: 0.5 }, "A number, a multiple of 0.5"],
])("the form tells what a number has to be: %o", (over, hint) => {
  expect(numberHint(number(over) as Extract<Field, { kind: "number" }>)).toBe(hint);
});

test.each([
  [null, null],
  ["email", null],
  ["uuid", `A UUID such as ${UUID}`],
  ["file-path", "Format: file-path"],
])("the form tells what a text of format %s has to be", (format, hint) => {
  expect(formatHint(text({ format }) as Extract<Field, { kind: "text" }>)).toBe(hint);
});

test("a choice that is a number comes back from a draft and from an answer", () => {
  for (const drafted of ["1", 1]) expect(initialValues([stars], { f: drafted })).toEqual({ f: "1" });
});

test.each(["", "  "])("a choice whose value is “%s” is told from no answer, and is sent", (value) => {
  const fields: Field[] = [
    {
      ...{ ...base, required: false, kind: "one_of", default: null },
      options: [
        { value, title: "Reject" },
        { value: "pay", title: "Approve" },
      ],
    },
  ];
  const sent = (held: unknown) => readAnswer(fields, { f: String(held) }).content;
  const untouched = initialValues(fields, null);
  expect([untouched, sent(untouched.f)]).toEqual([{ f: "" }, {}]);
  expect(sent(heldAs(value))).toEqual({ f: value });
  // It comes back from a draft, and from what others agreed to, which may also be no answer.
  const draft = draftContent(fields, { f: heldAs(value) });
  expect(sent(initialValues(fields, draft).f)).toEqual({ f: value });
  const agreed = (content: object) =>
    initialValues(fields, sentValues({ kind: "supported", fields }, { ...content }));
  expect(sent(agreed({ f: value }).f)).toEqual({ f: value });
  expect(sent(agreed({}).f)).toEqual({});
});

test("an untouched choice is none, whatever the choices are called", () => {
  const options = [{ value: "undefined", title: "Undefined" }];
  const field: Field = { ...base, kind: "one_of", options, default: null };
  expect(initialValues([field], null)).toEqual({ f: "" });
});

test("a number beyond 2^53 is refused in words, not rounded", () => {
  const { content, errors } = readAnswer([number({ integer: true })], { f: "9007199254740993" });
  expect(content).toEqual({});
  expect(errors[0]?.message).toMatch(/Too many digits to be sent exactly/);
  expect(readAnswer([number({ integer: true })], { f: "9007199254740991" }).errors).toEqual([]);
});

test("a default is suggested in typed fields and never chosen for a person", () => {
  const fields: Field[] = [
    text({ name: "t", default: "x" }),
    { ...base, name: "b", kind: "boolean", default: true },
    { ...base, name: "o", kind: "one_of", options: [], default: "x" },
    several({ name: "s" }),
  ];
  expect(initialValues(fields, null)).toEqual({ t: "x", b: "", o: "", s: [] });
});

test("a draft is what differs from the untouched form, and brings it back", () => {
  const fields: Field[] = [
    text({ name: "kept", default: "x" }),
    text({ name: "cleared", default: "x" }),
    text({ name: "unfinished", format: "date" }),
    { ...base, name: "chosen", kind: "one_of", options: [{ value: "a", title: "A" }], default: null },
  ];
  const values = { kept: "x", cleared: "", unfinished: UNFINISHED, chosen: "a" };
  const draft = draftContent(fields, values);
  expect(draft).toEqual({ cleared: "", chosen: "a" });
  expect(initialValues(fields, draft)).toEqual({ ...values, unfinished: "" });
  expect(draftContent(fields, initialValues(fields, null))).toEqual({});
});

test("a draft of an earlier form fills in only what still fits", () => {
  const fields: Field[] = [
    { ...base, name: "o", kind: "one_of", options: [{ value: "a", title: "A" }], default: null },
    several({ name: "s", options: [{ value: "a", title: "A" }] }),
    text({ name: "t" }),
  ];
  expect(initialValues(fields, { o: "gone", s: ["gone", "a"], t: ["list"] })).toEqual({
    o: "",
    s: ["a"],
    t: "",
  });
});

test("a draft comes before a default", () => {
  expect(initialValues([number({ default: 1 })], { f: 2 })).toEqual({ f: "2" });
});

const sent = normaliseForm({
  type: "object",
  properties: {
    regions: {
      type: "array",
      title: "Where",
      items: {
        anyOf: [
          { const: "eu", title: "Europe" },
          { const: "us", title: "America" },
        ],
      },
    },
    decision: {
      title: "Decision",
      type: "string",
      oneOf: [
        { const: "k", title: "Keep waiting" },
        { const: "pay", title: "Pay" },
      ],
    },
    note: { type: "string", title: "Note" },
  },
});
const sentFields = sent.kind === "supported" ? sent.fields : [];

test("each value stands under its own field, whatever stands before it, and a choice by the words that were pressed", () => {
  const content = { regions: ["us", "eu"], decision: "k", note: "later" };
  expect(sentCells(sentFields, content, formatsOf("en-GB")).map(({ title, cell }) => [title, cell])).toEqual([
    ["Where", { kind: "text", text: "America (sends “us”), Europe (sends “eu”)" }],
    ["Decision", { kind: "text", text: "Keep waiting" }],
    ["Note", { kind: "text", text: "later" }],
  ]);
});

test.each<[string, string, Field, string, string[]]>([
  ["a plain one", "decision", { ...stars, kind: "one_of" } as Field, "Approved", []],
  [
    "whose name is not in its words",
    "reject",
    { ...stars, name: "reject", title: "Decision", description: "Sent as “reject”.\nRead it." } as Field,
    "Answered “Yes”",
    ["Decision (sent as “reject”)"],
  ],
  ["whose words are cut", "f", stars, "Answered “Release the payment of invoice INV-100…”", ["F"]],
])(
  "a decision by one press, %s, is shown with its field where its words say less",
  (_, name, field, words, titles) => {
    const question = {
      origin: "server",
      gate: null,
      tool: "pay",
      fields: { kind: "supported" as const, fields: [field] },
    };
    const cells = cellsBeside(question, { words, content: { [name]: "yes" } }, formatsOf("en-GB"));
    expect(cells.map(({ title }) => title)).toEqual(titles);
  },
);
