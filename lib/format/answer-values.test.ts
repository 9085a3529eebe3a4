import { describe, expect, test } from "vitest";
import type { Field } from "../mcp/form.ts";
import { initialValues, readAnswer } from "./answer-values.ts";

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
const several = (over: object = {}): Field => ({
  ...base,
  kind: "several_of",
  options: [],
  minItems: null,
  maxItems: null,
  default: ["x"],
  ...over,
});

describe("what is typed", () => {
  test.each<[string, Field, string | string[], unknown]>([
    ["text", text(), "hello", "hello"],
    ["an optional field left empty is not sent", text({ required: false }), "", undefined],
    ["a number", number(), " 12.5 ", 12.5],
    ["a whole number", number({ integer: true }), "-3", -3],
    ["yes", { ...base, kind: "boolean", default: null }, "true", true],
    ["no", { ...base, kind: "boolean", default: null }, "false", false],
    ["several", several(), ["a", "b"], ["a", "b"]],
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
    ["a fraction for a whole number", number({ integer: true }), "1.5"],
    ["an integer beyond 2^53, which would be rounded", number({ integer: true }), "9007199254740993"],
    ["more digits than a double holds", number(), "0.12345678901234567"],
    ["below the minimum", number({ minimum: 0 }), "-1"],
    ["nothing chosen where something must be", several(), []],
    ["more chosen than allowed", several({ maxItems: 1 }), ["a", "b"]],
  ])("%s", (_, field, value) => {
    const { content, errors } = readAnswer([field], { f: value });
    expect(content).toEqual({});
    expect(errors).toMatchObject([{ field: "f" }]);
  });
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

test("a draft comes before a default", () => {
  expect(initialValues([number({ default: 1 })], { f: 2 })).toEqual({ f: "2" });
});
