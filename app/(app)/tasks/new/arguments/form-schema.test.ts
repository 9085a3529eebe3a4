import { describe, expect, test } from "vitest";
import { UNFINISHED } from "@/lib/requests/words/answer-values.ts";
import { AS_JSON, emptyArguments, readForm, showsProblem, undrawn, withoutEmpty } from "./form-schema.ts";
import { judge } from "./judge-arguments.ts";
import type { Json } from "./schema-tree.ts";

const formOf = (schema: Json): Json => {
  const read = readForm(schema);
  if (!("form" in read)) throw new Error(read.reason);
  return read.form;
};
const object = (properties: Json, more: Json = {}) => ({ type: "object", properties, ...more });

test.each([
  [["note"], true],
  [["lines"], true],
  [["lines", 0], false],
  [["lines", 0, "amount"], true],
  [["target"], true],
  [["target", "mail"], false],
  [["other"], false],
  [[], false],
])("a problem at %j is at its field: %j", (path, isShown) => {
  const line = object({ amount: { type: "number" } });
  const target = { oneOf: [object({ mail: { type: "string" } }), object({ phone: { type: "string" } })] };
  const form = formOf(object({ note: { type: "string" }, lines: { type: "array", items: line }, target }));
  expect(showsProblem(form, path)).toBe(isShown);
});

test("fields whose titles read the same have their names behind them", () => {
  const { properties } = formOf(
    object({ to: { type: "string", title: "Recipient" }, cc: { type: "string", title: "Recipient" } }),
  );
  const titles = Object.values(properties as Record<string, Json>).map(({ title }) => title);
  expect(titles).toEqual(["Recipient (to)", "Recipient (cc)"]);
});

test.each([
  ["dry_run", { type: "boolean", title: "Deploy for real?" }, "Deploy for real? (dry_run)"],
  ["delete_all", { type: "boolean", title: "Keep all records" }, "Keep all records (delete_all)"],
  ["delete_all", { enum: ["yes", "no"], title: "Keep all records" }, "Keep all records (delete_all)"],
  ["approve", { type: "boolean", title: "Approve the payment?" }, "Approve the payment?"],
  ["dry_run", { type: "boolean", title: "Dry run" }, "Dry run"],
  ["-force", { type: "boolean" }, '"-force"'],
  [".delete", { type: "boolean", title: "Delete" }, '".delete"'],
  ["-approve", { type: "boolean", title: "Approve it?" }, "Approve it? (-approve)"],
  [
    "delete_files",
    { type: "array", items: { enum: ["a", "b"] }, title: "Files to keep" },
    "Files to keep (delete_files)",
  ],
  ["invoice", { type: "string", title: "Invoice number" }, "Invoice number"],
  ["lines", { type: "array", items: object({}), title: "Order lines" }, "Order lines"],
  ["pay", { anyOf: [{ type: "boolean" }, { type: "string" }], title: "Refuse" }, "Refuse (pay)"],
  ["pay", { anyOf: [{ type: "string" }, { type: "null" }], title: "Note" }, "Note"],
  ["keep (all)", { type: "boolean", title: "Purge (keep (all)" }, 'Purge (keep (all) ("keep (all)")'],
  ["pay\u202e", { type: "boolean", title: "Refuse" }, 'Refuse ("pay\\u202e")'],
])("the field %s of %j is called %s", (name, property, title) => {
  const { properties } = formOf(object({ [name]: property }));
  expect((properties as Record<string, Json>)[name]?.title).toBe(title);
});

test("a title of a condition stands with the name, too", () => {
  const { then } = formOf({
    ...object({ dry_run: { type: "boolean" } }),
    if: {},
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { dry_run: { title: "Deploy for real?" } } },
  });
  expect(then).toMatchObject({ properties: { dry_run: { title: "Deploy for real? (dry_run)" } } });
});

test("a part of a field does not rename it", () => {
  const keep = { title: "Keep all records" };
  const { properties } = formOf(object({ purge: { type: "boolean", allOf: [keep], if: keep } }));
  expect(JSON.stringify(properties)).not.toContain("Keep");
});

test("a kind of value named like a member of objects has a plain title", () => {
  const { properties } = formOf(object({ a: { anyOf: [{ type: "constructor" }, { type: "string" }] } }));
  expect(properties).toMatchObject({ a: { anyOf: [{ title: "Something else" }, { title: "Text" }] } });
});

describe("a hostile schema has no form, at once and with a reason", () => {
  /** Each part stands for two of the next: 2^40 in all. */
  const bomb = {
    ...object({ a: { $ref: "#/$defs/d0" } }),
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        object({ l: { $ref: `#/$defs/d${at + 1}` }, r: { $ref: `#/$defs/d${at + 1}` } }),
      ]),
    ),
  };
  const deep = Array.from({ length: 100 }).reduce<Json>((inner) => object({ inner }), { type: "string" });
  test.each([
    { what: "a tree of references", schema: bomb, reason: /too many parts|nested too deeply/ },
    { what: "a loop", schema: object({ a: { $ref: "#" } }), reason: /refers to itself/ },
    {
      what: "a longer loop",
      schema: { ...object({ a: { $ref: "#/$defs/a" } }), $defs: { a: { items: { $ref: "#/$defs/a" } } } },
      reason: /refers to itself/,
    },
    {
      what: "another address",
      schema: object({ a: { $ref: "https://evil.example/schema.json" } }),
      reason: /does not fetch/,
    },
    {
      what: "a part that is not there",
      schema: object({ a: { $ref: "#/$defs/none" } }),
      reason: /does not exist/,
    },
    { what: "a hundred levels", schema: deep, reason: /nested too deeply/ },
    {
      what: "a thousand fields",
      schema: object(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, {}]))),
      reason: /too many parts/,
    },
    {
      what: "a choice of a thousand",
      schema: object({ a: { enum: Array.from({ length: 1_000 }, (_, at) => at) } }),
      reason: /too many choices/,
    },
    {
      what: "a name of the object's own",
      schema: object(JSON.parse('{"__proto__": {"type": "string"}}')),
      reason: /a name/,
    },
    { what: "nothing said", schema: {}, reason: /does not say/ },
  ])("$what", ({ schema, reason }) => {
    const read = readForm(schema);
    expect("reason" in read && read.reason).toMatch(reason);
  });

  test("an expression that would run for minutes is not run, nor kept", () => {
    const read = readForm(object({ a: { type: "string", pattern: "^(a+)+$" } }));
    expect(JSON.stringify(read)).not.toContain("(a+)+");
    expect(judge(read.judge, { a: `${"a".repeat(60)}!` })).toEqual([]);
  });
});

describe("a form", () => {
  test("has one type a field, words for names, and JSON where a field can be anything", () => {
    const form = formOf(
      object(
        {
          invoice_id: { type: "string", title: "Invoice Id" },
          amount: { anyOf: [{ type: "number", minimum: 0 }, { type: "null" }], description: "In euros" },
          note: { type: ["string", "null"] },
          anything: {},
          map: { type: "object", additionalProperties: { type: "string" } },
          pair: { type: "array", prefixItems: [{ type: "string" }] },
          address: { $ref: "#/$defs/address", description: "Where to" },
        },
        { $defs: { address: object({ street: { type: "string", title: "Street and number" } }) } },
      ),
    );
    expect(form.properties).toEqual({
      invoice_id: { type: "string", title: "Invoice ID" },
      amount: { type: "number", minimum: 0, description: "In euros", title: "Amount" },
      note: { type: "string", title: "Note" },
      anything: { $id: AS_JSON, title: "Anything" },
      map: { type: "object", $id: AS_JSON, title: "Map" },
      pair: { type: "array", $id: AS_JSON, title: "Pair" },
      address: object(
        { street: { type: "string", title: "Street and number" } },
        { description: "Where to", title: "Address" },
      ),
    });
  });

  test("begins with one line of each list that is needed, and leaves out what was left empty", () => {
    const line = object({ amount: { type: "number" } });
    const schema = object(
      {
        lines: { type: "array", items: line },
        tags: { type: "array", items: { type: "string" } },
        to: object({ name: { type: "string" } }),
      },
      { required: ["lines", "tags"] },
    );
    const form = formOf(schema);
    expect(emptyArguments(form)).toEqual({ lines: [{}], tags: [] });
    expect(
      withoutEmpty(form, { lines: [{ amount: undefined }], tags: [], to: { name: undefined }, other: {} }),
    ).toEqual({
      lines: [{}],
      tags: [],
      other: {},
    });
  });
});

describe("arguments are held against the schema", () => {
  const schema = object(
    {
      id: { type: "string", minLength: 3 },
      count: { type: "integer", minimum: 1, maximum: 5 },
      kind: { enum: ["a", "b"] },
      lines: {
        type: "array",
        minItems: 1,
        items: object({ amount: { type: "number" } }, { required: ["amount"] }),
      },
      target: {
        oneOf: [
          object({ mail: { type: "string" } }, { required: ["mail"] }),
          object({ phone: { type: "string" } }, { required: ["phone"] }),
        ],
      },
    },
    { required: ["id"], additionalProperties: false },
  );
  const { judge: checked } = readForm(schema);
  test.each([
    {
      values: { id: "INV-1", count: 5, kind: "a", lines: [{ amount: 1 }], target: { mail: "x" } },
      problems: [],
    },
    { values: {}, problems: ["id is missing"] },
    { values: { id: "x" }, problems: ["id must have at least 3 characters"] },
    { values: { id: "INV-1", count: 1.5 }, problems: ["count must be a whole number"] },
    { values: { id: "INV-1", count: 6 }, problems: ["count must be at most 5"] },
    {
      values: { id: "INV-1", count: 2 ** 53 },
      problems: ["count is too large: it would lose digits when it is sent", "count must be at most 5"],
    },
    { values: { id: "INV-1", kind: "c" }, problems: ["kind must be one of the choices"] },
    { values: { id: "INV-1", lines: [] }, problems: ["lines must have at least 1 item"] },
    { values: { id: "INV-1", lines: [{ amount: 1 }, {}] }, problems: ["lines/1/amount is missing"] },
    { values: { id: "INV-1", lines: [{ amount: "12a" }] }, problems: ["lines/0/amount must be a number"] },
    { values: { id: "INV-1", other: 1 }, problems: ["other is not an argument of this tool"] },
    {
      values: { id: "INV-1", target: { mail: "x", phone: "y" } },
      problems: ["target matches more than one choice, but must match exactly one"],
    },
    { values: { id: "INV-1", target: { mail: 1 } }, problems: ["target/mail must be text"] },
  ])("$values", ({ values, problems }) => {
    expect(judge(checked, values).map(({ path, message }) => `${path.join("/")} ${message}`)).toEqual(
      problems,
    );
  });

  test.each([
    ["date", "2026-02-28", []],
    ["date", "2026-02-30", ["A whole date: day, month and year"]],
    ["date-time", "2026-02-28T09:30:00Z", []],
    ["date-time", "2026-02-28T09:30:00+01:00", []],
    ["date-time", "2026-02-28", ["A whole date and time"]],
    ["date-time", "2026-02-28T09:30", ["a date and time with its zone"]],
    ["time", "09:30:00+01:00", []],
    ["time", "09:30", ["A time with its zone, such as 09:30:00Z"]],
    ["date", UNFINISHED, ["A whole date: day, month and year"]],
    ["date-time", UNFINISHED, ["A whole date and time"]],
  ])("a %s of %j", (format, at, messages) => {
    expect(judge(object({ at: { type: "string", format } }), { at }).map(({ message }) => message)).toEqual(
      messages,
    );
  });

  test("names that the schema allows by an expression are not refused, though the expression is not run", () => {
    const { judge: closed } = readForm(
      object({ id: {} }, { patternProperties: { "^x-": { type: "number" } }, additionalProperties: false }),
    );
    expect(judge(closed, { id: 1, "x-amount": 2 })).toEqual([]);
  });

  test("values are the same in whatever order their names stand", () => {
    const pair = { amount: 1, currency: "EUR" };
    const { judge: checked } = readForm(
      object({
        total: { const: pair },
        kind: { enum: [pair] },
        lines: { type: "array", items: {}, uniqueItems: true },
      }),
    );
    const turned = { currency: "EUR", amount: 1 };
    expect(judge(checked, { total: turned, kind: turned })).toEqual([]);
    expect(judge(checked, { lines: [pair, turned] })).toEqual([
      { path: ["lines"], message: "must not have an item twice" },
    ]);
  });

  test("a schema that passes everything refuses nothing, and conditions are followed", () => {
    expect(judge({}, { a: [null] })).toEqual([]);
    const conditional = readForm(
      object(
        { paid: { type: "boolean" }, by: { type: "string" } },
        {
          if: { properties: { paid: { const: true } }, required: ["paid"] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ["by"] },
        },
      ),
    ).judge;
    expect(judge(conditional, { paid: true })).toEqual([{ path: ["by"], message: "is missing" }]);
    expect(judge(conditional, { paid: false })).toEqual([]);
  });
});

test("arguments that no field shows are found, in groups and lists too", () => {
  const line = object({ sku: { type: "string" } });
  const form = formOf({
    ...object({ invoice: { type: "string" }, lines: { type: "array", items: line }, who: line, any: {} }),
    anyOf: [object({ by: { type: "string" } }), object({ at: { type: "string" } })],
  });
  const known = { invoice: "INV-1", lines: [{ sku: "A" }], who: { sku: "B" }, any: { x: 1 }, by: "x" };
  expect(undrawn(form, known)).toEqual({});
  expect(
    undrawn(form, {
      ...{ ...known, pay_to: "EVIL", nested: { x: 1 }, constructor: 1 },
      ...{ lines: [{ sku: "A" }, { sku: "B", free: true }], who: { sku: "B", admin: true } },
    }),
  ).toEqual({
    ...{ pay_to: "EVIL", nested: { x: 1 }, constructor: 1 },
    ...{ lines: [{ free: true }], who: { admin: true } },
  });
});
