import { describe, expect, it } from "vitest";
import { formSchema } from "./form.ts";
import { normaliseForm } from "./read-form.ts";
import { secretIn } from "./secret.ts";

const form = (properties: Record<string, unknown>, required: string[] = []) =>
  normaliseForm({ type: "object", properties, required });
const field = (property: unknown) => {
  const found = form({ f: property });
  return found.kind === "supported" ? found.fields[0] : found;
};
const base = { name: "f", title: "f", description: null, required: false };
const text = { ...base, kind: "text", format: null, minLength: null, maxLength: null, default: null };
const number = { ...base, kind: "number", integer: false, minimum: null, maximum: null, default: null };
const ab = [
  { value: "a", title: "a" },
  { value: "b", title: "b" },
];
const titledAb = [
  { value: "a", title: "Alpha" },
  { value: "b", title: "Beta" },
];
const oneOf = { ...base, kind: "one_of", options: ab, default: null };
const severalOf = { ...base, kind: "several_of", options: ab, minItems: null, maxItems: null, default: [] };

describe("normaliseForm", () => {
  it.each([
    ["a text", { type: "string" }, text],
    [
      "a title and a description",
      { type: "string", title: "T", description: "D" },
      { ...text, title: "T", description: "D" },
    ],
    [
      "lengths and a default",
      { type: "string", minLength: 1, maxLength: 9, default: "x" },
      { ...text, minLength: 1, maxLength: 9, default: "x" },
    ],
    ["a format", { type: "string", format: "date-time" }, { ...text, format: "date-time" }],
    [
      "in another's place",
      { type: "string", "x-intray-need": " checked by Intray " },
      { ...text, description: "checked by Intray" },
    ],
    [
      "when it is needed, too long to be shown",
      { type: "string", "x-intray-need": "x".repeat(10_001) },
      text,
    ],
    ["a pattern, dropped", { type: "string", pattern: "^(a+)+$" }, text],
    ["a format that is checked", { type: "string", format: "uuid" }, { ...text, format: "uuid" }],
    ["a UUID of a version", { type: "string", format: "uuid4" }, { ...text, format: "uuid" }],
    ["a format that is only told", { type: "string", format: "file-path" }, { ...text, format: "file-path" }],
    [
      "text in another notation",
      { type: "string", contentMediaType: "application/json", contentSchema: {} },
      { ...text, description: "It holds: {}", format: "application/json" },
    ],
    [
      "limits that are no values themselves",
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.5 },
      { ...number, exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.5 },
    ],
    [
      "an integer of few bits",
      { type: "integer", format: "uint8", minimum: 1 },
      { ...number, integer: true, minimum: 1, maximum: 255 },
    ],
    ["a number with a format without limits", { type: "number", format: "double" }, number],
    ["a single value", { type: "string", const: "a" }, { ...oneOf, options: [{ value: "a", title: "a" }] }],
    [
      "numbers to choose from",
      { type: "integer", enum: [1, 2], default: 2 },
      {
        ...oneOf,
        options: [
          { value: 1, title: "1" },
          { value: 2, title: "2" },
        ],
        default: 2,
      },
    ],
    [
      "titled numbers without a type",
      {
        oneOf: [
          { const: 0.5, title: "Half", type: "number" },
          { const: 1, title: null },
        ],
      },
      {
        ...oneOf,
        options: [
          { value: 0.5, title: "Half (sends “0.5”)" },
          { value: 1, title: "1" },
        ],
      },
    ],
    ["a yes", { type: "boolean", const: true }, { ...oneOf, options: [{ value: true, title: "Yes" }] }],
    [
      "yes and no as choices",
      { type: "boolean", enum: [true, false] },
      { ...base, kind: "boolean", default: null },
    ],
    [
      "keywords that are null",
      { type: "string", title: null, description: null, format: null, minLength: null, enum: null },
      text,
    ],
    [
      "keywords that change nothing",
      { type: "string", $id: "urn:f", $defs: { X: {} }, readOnly: false, writeOnly: false },
      text,
    ],
    [
      "several choices with a title of their own",
      { type: "array", items: { type: "string", enum: ["a", "b"], title: "Letter", $defs: {} } },
      { ...severalOf, description: "Letter" },
    ],
    [
      "a number",
      { type: "number", minimum: 0, maximum: 1.5, default: 0.5 },
      { ...number, minimum: 0, maximum: 1.5, default: 0.5 },
    ],
    [
      "the bounds of all exact integers, as no bounds",
      { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { ...number, integer: true },
    ],
    [
      "notes that change nothing, dropped",
      { type: "string", $comment: "c", deprecated: false, "x-order": 1 },
      text,
    ],
    [
      "examples, which people may read",
      { type: "string", description: "D", examples: ["INV-1", 2, { a: 1 }] },
      { ...text, description: 'D\nFor example: INV-1, 2, {"a":1}' },
    ],
    ["an integer", { type: "integer" }, { ...number, integer: true }],
    ["yes or no", { type: "boolean", default: true }, { ...base, kind: "boolean", default: true }],
    ["choices", { type: "string", enum: ["a", "b"], default: "b" }, { ...oneOf, default: "b" }],
    ["an empty default, dropped", { type: "string", enum: ["a", "b"], default: "" }, oneOf],
    [
      "a default that is no choice, as words",
      { type: "string", enum: ["a", "b"], default: "c" },
      { ...oneOf, description: "The server suggests “c”, which is none of the choices." },
    ],
    [
      "a default that is no date, which a box for dates doesn't show, as words",
      { type: "string", format: "date", default: "Pay twice" },
      {
        ...text,
        format: "date",
        description: "The server suggests “Pay twice”, which the field can’t show.",
      },
    ],
    [
      "a default of the year 9999, which a box east of UTC shows as empty, as words",
      { type: "string", format: "date-time", default: "9999-12-31T23:59:59Z" },
      {
        ...text,
        format: "date-time",
        description: "The server suggests “9999-12-31T23:59:59Z”, which the field can’t show.",
      },
    ],
    [
      "a default that no calendar has, as words",
      { type: "string", format: "date", default: "2026-02-31" },
      {
        ...text,
        format: "date",
        description: "The server suggests “2026-02-31”, which the field can’t show.",
      },
    ],
    ...[
      ...["2026-12-01", "2026-12-01T10", "2026-12-01T23:59:60Z"],
      ...["2026-02-31T10:00:00Z", "2026-12-01T10:00:00+0530"],
    ].map((suggested): [string, object, object] => [
      `the default ${suggested} of a moment, as words`,
      { type: "string", format: "date-time", default: suggested },
      {
        ...text,
        format: "date-time",
        description: `The server suggests “${suggested}”, which the field can’t show.`,
      },
    ]),
    [
      "a moment as the default of a date, as words",
      { type: "string", format: "date", default: "2026-12-01T10:00:00Z" },
      {
        ...text,
        format: "date",
        description: "The server suggests “2026-12-01T10:00:00Z”, which the field can’t show.",
      },
    ],
    [
      "a default that is a date",
      { type: "string", format: "date-time", default: "2026-02-28T09:30:00Z" },
      { ...text, format: "date-time", default: "2026-02-28T09:30:00Z" },
    ],
    [
      "a default of several, with one that is no choice",
      { type: "array", items: { enum: ["a", "b"] }, default: ["a", "c"] },
      {
        ...severalOf,
        default: ["a"],
        description: "The server suggests “c”, which is none of the choices.",
      },
    ],
    [
      "what a choice is described by",
      {
        oneOf: [
          { const: "a", description: "First" },
          { const: "b", title: "B" },
        ],
      },
      { ...oneOf, options: [ab[0], { value: "b", title: "B" }], description: "a: First" },
    ],
    [
      "characters that hide or turn text, marked",
      { type: "string", title: "Pay\u202e", description: "\u200bD", default: "\u200b" },
      { ...text, title: "Pay\ufffd", description: "\ufffdD", default: "\u200b" },
    ],
    [
      "titled choices",
      {
        type: "string",
        oneOf: [
          { const: "a", title: "Alpha" },
          { const: "b", title: "Beta" },
        ],
      },
      { ...oneOf, options: titledAb },
    ],
    [
      "legacy titles",
      { type: "string", enum: ["a", "b"], enumNames: ["Alpha", "Beta"] },
      { ...oneOf, options: titledAb },
    ],
    ["choices without a type", { enum: ["a", "b"] }, oneOf],
    [
      "several choices",
      {
        type: "array",
        items: { type: "string", enum: ["a", "b"] },
        minItems: 1,
        maxItems: 2,
        default: ["a"],
      },
      { ...severalOf, minItems: 1, maxItems: 2, default: ["a"] },
    ],
    [
      "several titled choices",
      {
        type: "array",
        items: {
          anyOf: [
            { const: "a", title: "Alpha" },
            { const: "b", title: "Beta" },
          ],
        },
      },
      { ...severalOf, options: titledAb },
    ],
    ["a nullable text", { type: ["string", "null"], default: null }, text],
    ["nullable choices", { type: ["string", "null"], enum: ["a", "b", null] }, oneOf],
    [
      "nullable choices with titles",
      { type: ["string", "null"], enum: [null, "a", "b"], enumNames: ["None", "Alpha", "Beta"] },
      { ...oneOf, options: titledAb, description: "No answer means: None" },
    ],
    [
      "what no answer means, beside the description",
      {
        type: ["string", "null"],
        description: "D",
        enum: ["a", "b", null],
        enumNames: ["Alpha", "Beta", "Leaving this empty approves the payment"],
      },
      {
        ...oneOf,
        options: titledAb,
        description: "D\nNo answer means: Leaving this empty approves the payment",
      },
    ],
    [
      "a nullable number as Python writes it",
      { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }], default: null, title: "N" },
      { ...number, integer: true, minimum: 1, title: "N" },
    ],
  ])("takes %s", (_, property, expected) => {
    expect(field(property)).toEqual(expected);
    expect(formSchema.parse(form({ f: property })).kind).toBe("supported");
  });

  it("keeps what the server says of the form as a whole", () => {
    const about = { title: "Payment", description: "To be sure\u202e", examples: [{ a: 1 }] };
    expect(normaliseForm({ type: "object", ...about })).toEqual({
      kind: "supported",
      about: 'Payment\nTo be sure\ufffd\nFor example: {"a":1}',
      fields: [],
    });
  });

  it.each([
    ["an object in the form", form({ f: { type: "object", properties: {} } })],
    ["a list of texts", form({ f: { type: "array", items: { type: "string" } } })],
    ["an unknown keyword", form({ f: { type: "number", not: { const: 5 } } })],
    ["a format that is no name", form({ f: { type: "string", format: "x".repeat(101) } })],
    ["multiples of nothing", form({ f: { type: "number", multipleOf: 0 } })],
    ["a limit that is no number", form({ f: { type: "number", minimum: 0, exclusiveMinimum: true } })],
    ["what is not to be changed", form({ f: { type: "string", readOnly: true } })],
    ["null alone", form({ f: { type: "string", const: null } })],
    ["choices of several types", form({ f: { enum: ["a", 1] } })],
    ["a fraction as an integer", form({ f: { type: "integer", enum: [1, 1.5] } })],
    ["a choice that can't be sent exactly", form({ f: { type: "integer", enum: [2 ** 53] } })],
    ["numbers to choose several of", form({ f: { type: "array", items: { type: "integer", enum: [1] } } })],
    ["two lists of choices", form({ f: { enum: ["a"], oneOf: [{ const: "a", title: "A" }] } })],
    [
      "a text that is said twice",
      form({ f: { anyOf: [{ type: "string", title: "In" }, { type: "null" }], title: "Out" } }),
    ],
    ["a choice beyond the limits", form({ f: { type: "integer", enum: [1, 200], maximum: 100 } })],
    ["a choice that is too short", form({ f: { type: "string", enum: ["a", "bc"], minLength: 2 } })],
    ["words for no answer", form({ f: { anyOf: [{ type: "string" }, { type: "null", title: "Skip" }] } })],
    ["words in the place of a mark", form({ f: { type: "string", deprecated: "Approves all" } })],
    [
      "words in the place of a choice's type",
      form({ f: { type: "string", oneOf: [{ const: "a", type: "Approves all" }] } }),
    ],
    ["more titles than choices", form({ f: { enum: ["a"], enumNames: ["A", "Approve all"] } })],
    ["two types", form({ f: { type: ["string", "number"] } })],
    ["a reference to nothing", form({ f: { $ref: "#/$defs/x" } })],
    [
      "a field that parsing would leave out",
      normaliseForm(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')),
    ],
    ["a default of another type", form({ f: { type: "number", default: "5" } })],
    ["a reference beside a type", form({ f: { type: "string", $ref: "https://example.com/s.json" } })],
    ["the same choice twice", form({ f: { type: "string", enum: ["a", "a"] } })],
    ["no choices", form({ f: { type: "string", enum: [] } })],
    [
      "501 choices",
      form({ f: { type: "string", enum: Array.from({ length: 501 }, (_, at) => String(at)) } }),
    ],
    [
      "51 fields",
      form(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, { type: "string" }]))),
    ],
    ["a text beyond 10 kB", form({ f: { type: "string", description: "x".repeat(10_001) } })],
    ["a required field that is not there", form({ f: { type: "string" } }, ["g"])],
    ["conditions", normaliseForm({ type: "object", properties: {}, if: {} })],
    ["another type", normaliseForm({ type: "array" })],
    ["a text instead of a schema", normaliseForm("form")],
    ["a list instead of a schema", normaliseForm([])],
  ])("does not show %s", (_, found) => {
    expect(found).toEqual({ kind: "unsupported", reason: expect.stringMatching(/./) });
  });

  it.each([
    ["an object", { type: "object", properties: {} }],
    ["two types", { type: ["string", "number"] }],
    ["a reference", { $ref: "#/$defs/x" }],
  ])("says in plain words why it does not show %s", (_, property) => {
    const reason = "The field “f” can’t be shown (forms have no fields of its type)";
    expect(form({ f: property })).toEqual({ kind: "unsupported", reason });
  });

  it.each([undefined, null, {}, { type: "object" }, { type: "object", properties: {} }])(
    "has nothing to fill in for %j",
    (schema) => expect(normaliseForm(schema)).toEqual({ kind: "supported", fields: [] }),
  );

  it("has no title or description that is a page long", () => {
    const title = `Pay ACME EUR 10?${"\n\n\n.".repeat(60)}And EVIL LTD EUR 9000?`;
    const form = normaliseForm({
      type: "object",
      properties: { ok: { type: "boolean", title, description: title } },
    });
    const [field] = form.kind === "supported" ? form.fields : [];
    for (const text of [field!.title, field!.description!]) {
      expect(text.split("\n").length).toBeLessThanOrEqual(15);
      expect(text.replace("Sent as “ok”.", "").replace(/[^.]/g, "")).toHaveLength(60);
    }
    expect(
      normaliseForm({ type: "object", description: `a${"\u2003.".repeat(3)}${"\u2003".repeat(19)}b` }),
    ).toMatchObject({
      about: "a\u2003.\u2003.\u2003.  b",
    });
  });

  it("takes for which of its choices a field is needed, as a recipe says it", () => {
    const form = normaliseForm({
      type: "object",
      properties: {
        choice: { type: "string", enum: ["Approve", "Reject"] },
        reason: { type: "string", "x-intray-need": "needed for “Reject”" },
        iban: { type: "string", "x-intray-need": "needed for “checked by Intray”" },
      },
    });
    expect(form).toMatchObject({
      fields: [
        {},
        { need: "needed for “Reject”", description: null },
        { description: "needed for “checked by Intray”" },
      ],
    });
  });

  it("says under which name a yes is sent, unless its title has just these words", () => {
    const properties = {
      approve: { type: "boolean", title: "Reject the payment?" },
      reject: { type: "boolean", title: "Approve the payment?" },
      approve_payment: { type: "boolean", title: "Flag this invoice as fraudulent?" },
      pay: { type: "boolean", title: "Pay the invoice?" },
      express_delivery: { type: "boolean", title: "Express delivery" },
      payment: { type: "boolean", title: "Refund this payment?" },
      reject_it: { type: "string", title: "Decision", enum: ["yes", "no"] },
      decision: { type: "string", title: "Decision", enum: ["yes", "no"] },
      plan: { type: "string", title: "Which plan?", enum: ["basic", "large"] },
      delete_files: {
        type: "array",
        title: "Files we should not delete",
        items: { type: "string", enum: ["a.txt"] },
      },
      files: { type: "array", title: "Which files?", items: { type: "string", enum: ["a.txt"] } },
      "approve”. A no sends “nothing": { type: "boolean", title: "Pay?" },
      auto_approve: { type: "string", title: "Never auto approve", enum: ["on", "off"] },
      pay_to: { type: "string", title: "Whom not to pay to", enum: ["ACME", "Mallory"] },
    };
    const form = normaliseForm({ type: "object", properties });
    expect(form.kind === "supported" && form.fields.map(({ description }) => description)).toEqual([
      "Sent as “approve”.",
      "Sent as “reject”.",
      "Sent as “approve_payment”.",
      "Sent as “pay”.",
      null,
      "Sent as “payment”.",
      "Sent as “reject_it”.",
      null,
      null,
      "Sent as “delete_files”.",
      null,
      'Sent as "approve\\u201d. A no sends \\u201cnothing".',
      "Sent as “auto_approve”.",
      "Sent as “pay_to”.",
    ]);
  });

  it("ignores what changes nothing and keeps the order", () => {
    const found = normaliseForm({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://a.example/form",
      $defs: { Unused: { type: "object" } },
      title: null,
      additionalProperties: null,
      type: "object",
      properties: { b: { type: "string" }, a: { type: "string" } },
      required: ["a"],
    });
    expect(found).toMatchObject({
      fields: [
        { name: "b", required: false },
        { name: "a", required: true },
      ],
    });
  });

  describe("takes what a property refers to", () => {
    const $defs = {
      Colour: { title: "Colour", description: "Of the car", type: "string", enum: ["red", "blue"] },
      Pin: { type: "integer", minimum: 1 },
      Loop: { anyOf: [{ $ref: "#/$defs/Loop" }, { type: "null" }] },
      Odd: { title: 7, type: "string" },
      Alias: { $ref: "#/$defs/Pin" },
      Large: { type: "string", enum: Array.from({ length: 400 }, (_, n) => `${n} ${"x".repeat(40)}`) },
      ...Object.fromEntries(
        Array.from({ length: 5_000 }, (_, n) => [`Link${n}`, { anyOf: [{ $ref: `#/$defs/Link${n + 1}` }] }]),
      ),
    };
    const one = (property: unknown, more = {}) =>
      normaliseForm({ type: "object", properties: { f: property }, $defs, ...more });
    const colour = {
      ...oneOf,
      options: [
        { value: "red", title: "red" },
        { value: "blue", title: "blue" },
      ],
    };

    it.each<[string, unknown, unknown]>([
      [
        "choices",
        { $ref: "#/$defs/Colour", default: "blue" },
        { ...colour, title: "Colour", description: "Sent as “f”.\nOf the car", default: "blue" },
      ],
      [
        "with a title of its own",
        { $ref: "#/$defs/Colour", title: "Paint" },
        { ...colour, title: "Paint · Colour", description: "Sent as “f”.\nOf the car" },
      ],
      [
        "or nothing",
        { anyOf: [{ $ref: "#/$defs/Colour" }, { type: "null" }], default: null },
        { ...colour, title: "Colour", description: "Sent as “f”.\nOf the car" },
      ],
      ["a number", { $ref: "#/$defs/Pin" }, { ...number, integer: true, minimum: 1 }],
      [
        "what refers on",
        { $ref: "#/$defs/Alias", type: "integer" },
        { ...number, integer: true, minimum: 1 },
      ],
    ])("%s", (_, property, expected) => {
      expect(one(property)).toEqual({ kind: "supported", fields: [expected] });
    });

    it("as long as all of it is no larger than a question may be", () => {
      const fields = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { $ref: "#/$defs/Large" }]));
      const all = (count: number) => normaliseForm({ type: "object", properties: fields(count), $defs });
      expect([all(5).kind, all(50).kind]).toEqual(["supported", "unsupported"]);
    });

    it("of several choices, and by the older name", () => {
      const { kind } = one({ type: "array", items: { $ref: "#/$defs/Colour" } });
      expect(kind).toBe("supported");
      const older = { $defs: undefined, definitions: { Pin: $defs.Pin } };
      expect(one({ $ref: "#/definitions/Pin" }, older).kind).toBe("supported");
    });

    it.each([
      { $ref: "#/$defs/Loop" },
      { $ref: "#/$defs/Link0" },
      { $ref: "#/$defs/Odd" },
      { $ref: "#/$defs/Pin", minimum: 0 },
      { $ref: "#/$defs/toString" },
      { $ref: "https://example.com/s.json" },
      { $ref: 7 },
    ])("but for %j", (property) => {
      expect(one(property).kind).toBe("unsupported");
    });
  });

  it.each([
    "password",
    "user_password",
    "apiKey",
    "API key",
    "access-token",
    "token",
    "cvv",
    "CVC",
    "pin",
    "PIN code",
    "clientSecret",
    "secret",
    "privateKey",
    "one-time code",
    "OTP",
    "card_number",
    "credentials",
    "ssn",
    "pass\u200bword",
    "ＰＩＮ",
  ])("refuses to ask for %s", (name) => {
    expect(form({ [name]: { type: "string" } })).toMatchObject({ kind: "secret", field: name });
    expect(form({ f: { type: "string", title: name } })).toMatchObject({ kind: "secret", field: "f" });
  });

  it.each([
    ["Password", "It"],
    ["It", "Password"],
  ])("refuses to ask for %s where it refers to %s", (title, other) => {
    const requested = {
      type: "object",
      properties: { f: { $ref: "#/$defs/x", title } },
      $defs: { x: { type: "string", title: other } },
    };
    expect(normaliseForm(requested).kind).toBe("secret");
  });

  it.each([
    ["a number", { type: "number", format: "currency" }],
    ["a choice", { type: "string", enum: ["a"], format: "currency" }],
    ["a text with another", { type: "string", format: "x", contentMediaType: "currency" }],
  ])("tells an unknown format of %s", (_, property) => {
    expect(field(property)).toMatchObject({ description: "Format: currency" });
  });

  it("refuses to ask for a password by its format, and for a PIN in numbers", () => {
    expect(form({ f: { type: "string", format: "password" } })).toMatchObject({ kind: "secret" });
    expect(form({ f: { type: "string", writeOnly: true } })).toMatchObject({ kind: "secret" });
    expect(form({ pin: { type: "integer" } })).toMatchObject({ kind: "secret" });
  });

  it.each([
    "spinner",
    "opinion",
    "cost_center",
    "token_count",
    "maxTokens",
    "passport_number",
    "secretary",
    "keyword",
    "tokenizer",
    "shipping",
    "memo",
  ])("sees no secret in %s", (name) => expect(form({ [name]: { type: "string" } }).kind).toBe("supported"));

  it("screens every type that is neither a choice nor a yes, also one that forms do not have yet", () => {
    expect(secretIn("password", { type: "object" })).toContain("looks like a secret");
  });

  it("sees no secret in a choice or a yes", () => {
    expect(form({ token: { type: "string", enum: ["a"] }, password: { type: "boolean" } }).kind).toBe(
      "supported",
    );
  });
});

describe("choices that people could mistake", () => {
  const titles = (...options: [value: string, title?: string][]) => {
    const found = field({ oneOf: options.map(([value, title]) => ({ const: value, title })) });
    return found && "options" in found ? found.options.map(({ title }) => title) : found;
  };
  it.each<[string, [value: string, title?: string][], string[]]>([
    [
      "of one title",
      [
        ["a", "Reject"],
        ["b", "Reject"],
      ],
      ["Reject (sends “a”)", "Reject (sends “b”)"],
    ],
    [
      "of a hidden letter",
      [
        ["a", "Reject"],
        ["b", "Reject\u200b"],
      ],
      ["Reject (sends “a”)", "Reject\ufffd (sends “b”)"],
    ],
    [
      "of other capitals and spaces",
      [
        ["a", "Pay now"],
        ["b", " pay  NOW"],
      ],
      ["Pay now (sends “a”)", "pay  NOW (sends “b”)"],
    ],
    [
      "of letters of another width",
      [
        ["a", "Pay"],
        ["b", "Ｐａｙ"],
        ["c", "Wait"],
      ],
      ["Pay (sends “a”)", "Ｐａｙ (sends “b”)", "Wait"],
    ],
    [
      "of letters that look the same",
      [
        ["DE89", "Account Il-01"],
        ["GB12", "Account lI–O1."],
      ],
      ["Account Il-01 (sends “DE89”)", "Account lI–O1. (sends “GB12”)"],
    ],
    [
      "called what another one sends",
      [
        ["Ana", "Ben"],
        ["Ben", "Ana"],
        ["high", "Low"],
        ["low", "High"],
      ],
      ["Ben (sends “Ana”)", "Ana (sends “Ben”)", "Low (sends “high”)", "High (sends “low”)"],
    ],
    [
      "of other figures",
      [
        ["9000", "EUR 10"],
        ["10", "EUR 9,000"],
        ["1000", "EUR 1,000.00"],
        ["2026-12-01", "1 January 2027"],
        ["-5", "5 back"],
        ["30", "Net 30"],
        ["1.5", "EUR 1.05"],
        ["9000 EUR", "10 EUR"],
      ],
      [
        "EUR 10 (sends “9000”)",
        "EUR 9,000 (sends “10”)",
        "EUR 1,000.00 (sends “1000”)",
        "1 January 2027 (sends “2026-12-01”)",
        "5 back (sends “-5”)",
        "Net 30 (sends “30”)",
        "EUR 1.05 (sends “1.5”)",
        "10 EUR (sends “9000 EUR”)",
      ],
    ],
    [
      "that leaves out a sign, or writes a figure in another way",
      [
        ["1.234", "1,234"],
        ["-1000", "1000"],
        ["900", "9⁰⁰"],
        [">100", "100"],
        ["10%", "10"],
        ["!approve", "Approve"],
        ["A-", "A"],
      ],
      [
        "1,234 (sends “1.234”)",
        "1000 (sends “-1000”)",
        "9⁰⁰ (sends “900”)",
        "100 (sends “>100”)",
        "10 (sends “10%”)",
        "Approve (sends “!approve”)",
        "A (sends “A-”)",
      ],
    ],
    [
      "that says more than is sent",
      [
        ["payment", "Refund the payment"],
        ["sign", "Signal"],
        ["cancel", "Cancel the order"],
        ["approve", "Approve the refund"],
      ],
      [
        "Refund the payment (sends “payment”)",
        "Signal (sends “sign”)",
        "Cancel the order (sends “cancel”)",
        "Approve the refund (sends “approve”)",
      ],
    ],
    [
      "that has a sign beside its yes or no",
      [
        ["true", "Yes ❌"],
        ["false", "No ✅"],
      ],
      ["Yes ❌ (sends “true”)", "No ✅ (sends “false”)"],
    ],
    [
      "whose yes has another word behind it",
      [
        ["true", "Yes нет"],
        ["false", "No!"],
      ],
      ["Yes нет (sends “true”)", "No!"],
    ],
    [
      "that is the name of what every object has",
      [
        ["constructor", "Constructor"],
        ["toString", "Approve"],
        ["t", "Reject"],
      ],
      ["Constructor", "Approve (sends “toString”)", "Reject (sends “t”)"],
    ],
    [
      "that has none of the words that are sent",
      [
        ["delete_file", "Keep the file"],
        ["keep_file", "Keep the file"],
        ["x1", "Later"],
      ],
      ["Keep the file (sends “delete_file”)", "Keep the file (sends “keep_file”)", "Later"],
    ],
    [
      "that says yes or no, and sends neither",
      [
        ["payment_cancelled", "Pay it"],
        ["off", "Approve"],
        ["status=stopped", "Release the payment"],
      ],
      [
        "Pay it (sends “payment_cancelled”)",
        "Approve (sends “off”)",
        "Release the payment (sends “status=stopped”)",
      ],
    ],
    [
      "of small capitals and other bars",
      [
        ["a", "Pay to o/1"],
        ["b", "Pay tᴏ o∕1"],
      ],
      ["Pay to o/1 (sends “a”)", "Pay tᴏ o∕1 (sends “b”)"],
    ],
    [
      "of other letters of the Latin alphabet that look the same",
      [
        ["a", "Account 53 l"],
        ["b", "Account ƼƷ Ɩ"],
        ["c", "Jav dear"],
        ["d", "ȷaʋ clear"],
      ],
      [
        "Account 53 l (sends “a”)",
        "Account ƼƷ Ɩ (sends “b”)",
        "Jav dear (sends “c”)",
        "ȷaʋ clear (sends “d”)",
      ],
    ],
    [
      "whose figures stand by Hebrew letters, which is drawn in another order",
      [["א 10 - 9000"], ["b", "Wait"]],
      ['א 10 - 9000 (sends "\\u05d0 10 - 9000")', "Wait"],
    ],
    ["of other capitals alone", [["pay"], ["Pay"]], ['pay (sends "pay")', 'Pay (sends "Pay")']],
    [
      "called a no that sends a yes",
      [
        ["approve", "Reject"],
        ["no", "No"],
      ],
      ["Reject (sends “approve”)", "No"],
    ],
    ["called a yes that sends a no", [["rejected", "Approve"]], ["Approve (sends “rejected”)"]],
    [
      "that says itself what it sends",
      [["run", "Reject (sends “reject”)"], ["stop"]],
      ["Reject (sends “reject”) (sends “run”)", "stop"],
    ],
    [
      "that takes its yes back",
      [
        ["approve", "OK, reject the payment"],
        ["approved", "Confirm cancellation"],
      ],
      ["OK, reject the payment (sends “approve”)", "Confirm cancellation (sends “approved”)"],
    ],
    [
      "that goes on after its no",
      [
        ["reject", "Do not cancel, pay"],
        ["deny", "No objections"],
        ["cancel", "Cancel the hold and pay"],
      ],
      [
        "Do not cancel, pay (sends “reject”)",
        "No objections (sends “deny”)",
        "Cancel the hold and pay (sends “cancel”)",
      ],
    ],
    [
      "that says more than a yes or a no that is sent",
      [
        ["approve", "OK, skip the payment"],
        ["approved", "Yes, keep it unpaid"],
        ["ok", "Approve later"],
        ["yes", "✗ Approve"],
        ["accept", "Accept?"],
      ],
      [
        "OK, skip the payment (sends “approve”)",
        "Yes, keep it unpaid (sends “approved”)",
        "Approve later (sends “ok”)",
        "✗ Approve (sends “yes”)",
        "Accept? (sends “accept”)",
      ],
    ],
    [
      "that takes its no back",
      [
        ["reject", "No! Approve"],
        ["deny", "Hold off? Pay"],
        ["cancel", "Do not hesitate to pay"],
        ["no", "Nothing wrong"],
      ],
      [
        "No! Approve (sends “reject”)",
        "Hold off? Pay (sends “deny”)",
        "Do not hesitate to pay (sends “cancel”)",
        "Nothing wrong (sends “no”)",
      ],
    ],
    [
      "that says both and sends neither",
      [
        ["x1", "OK, reject it"],
        ["x2", "Pay in 30 days"],
      ],
      ["OK, reject it (sends “x1”)", "Pay in 30 days (sends “x2”)"],
    ],
    [
      "that says in wide brackets what it sends",
      [["x1", "Pay （sends “pay”）"]],
      ["Pay （sends “pay”） (sends “x1”)"],
    ],
    [
      "that says the same in other words",
      [
        ["approved", "Approve the invoice"],
        ["reject", "Denied"],
        ["pay_now", "Pay now"],
        ["do_not_pay", "Do not pay"],
        ["yes", "Yes, I agree."],
      ],
      [
        "Approve the invoice",
        "Denied (sends “reject”)",
        "Pay now",
        "Do not pay",
        "Yes, I agree. (sends “yes”)",
      ],
    ],
    ["called a no in hidden letters", [["approve", "Re\u2060ject"]], ["Re\ufffdject (sends “approve”)"]],
    [
      "without a title to be seen",
      [["a", " "], ["b", "\u200b"], [""]],
      ["a", "\ufffd (sends “b”)", "Empty text (sends “”)"],
    ],
    [
      "whose values have quotation marks",
      [["reject”) and nothing else (“pay", "Pay"]],
      ['Pay (sends "reject\\u201d) and nothing else (\\u201cpay")'],
    ],
    ["of a blank", [[" "], ["a"]], ["Blank text (sends “ ”)", "a"]],
    [
      "called as Intray's own way to say nothing",
      [
        ["x1", "No answer"],
        ["x2", "Ｎo  answer."],
        ["x3", "Choose…"],
        ["x4", "choose..."],
        ["later", "Later"],
      ],
      [
        "No answer (sends “x1”)",
        "Ｎo  answer. (sends “x2”)",
        "Choose… (sends “x3”)",
        "choose... (sends “x4”)",
        "Later",
      ],
    ],
    ["turned round", [["approve", "\u202etcejeR"]], ["\ufffdtcejeR (sends “approve”)"]],
    [
      "with another figure, sign or blank than is sent",
      [
        ["1000", "-1000"],
        ["refund_100", "Refund -100"],
        ["100_50", "100.50"],
        ["9 000", "9.000"],
        ["5½", "51.2"],
        ["INV_2", "INV 2"],
        ["option-3", "Option 3"],
      ],
      [
        "-1000 (sends “1000”)",
        "Refund -100 (sends “refund_100”)",
        "100.50 (sends “100_50”)",
        "9.000 (sends “9 000”)",
        "51.2 (sends “5½”)",
        "INV 2",
        "Option 3",
      ],
    ],
    [
      "of a code that begins another's title",
      [
        ["d", "Keep"],
        ["k", "Delete"],
      ],
      ["Keep (sends “d”)", "Delete (sends “k”)"],
    ],
    [
      "that says more than a payment",
      [
        ["pay", "Pay the refund"],
        ["cancel", "Cancelled"],
        ["approve", "Approve the invoice"],
      ],
      ["Pay the refund (sends “pay”)", "Cancelled (sends “cancel”)", "Approve the invoice"],
    ],
    [
      "well named",
      [
        ["approve", "Approve"],
        ["reject", "Reject"],
      ],
      ["Approve", "Reject"],
    ],
    [
      "named in words that say neither, as those of another language",
      [
        ["approve", "Genehmigen"],
        ["reject", "Later"],
        ["b", "Wait"],
      ],
      ["Genehmigen (sends “approve”)", "Later (sends “reject”)", "Wait"],
    ],
  ])("%s: the value stands beside the title", (_, options, expected) => {
    expect(titles(...options)).toEqual(expected);
  });

  it("choices of the same Hebrew or Arabic letters are words of their own, and can be told apart by their values beside figures", () => {
    expect(titles(["عمل"], ["علم"])).toEqual(["عمل", "علم"]);
    expect(titles(["כן לא"], ["לא כן"])).toEqual(["כן לא", "לא כן"]);
    const sends = expect.stringMatching(/sends/);
    expect(titles(["שעה 10:30"], ["שעה 13:00"])).toEqual([sends, sends]);
    expect(titles(["א b"], ["b א"])).toEqual([sends, sends]);
  });

  it("says under which name a yes is sent that has a sign more than its title", () => {
    expect(form({ "-approve": { type: "boolean", title: "Approve" } })).toMatchObject({
      fields: [{ description: "Sent as “-approve”." }],
    });
  });

  it.each<[string, [value: string, title?: string][]]>([
    ["a hidden letter", [["reject"], ["reject\u200b", "Other"]]],
    ["the variation of a letter", [["reject"], ["reject\ufe0e", "Other"]]],
    ["a blank of Braille", [["reject"], ["reject\u2800", "Other"]]],
    [
      "spaces",
      [
        ["pay now", "A"],
        ["pay now ", "B"],
      ],
    ],
    [
      "the width of letters",
      [
        ["pay", "A"],
        ["ｐａｙ", "B"],
      ],
    ],
  ])("values that differ by %s alone are refused", (_, options) => {
    expect(titles(...options)).toMatchObject({
      kind: "unsupported",
      reason: expect.stringContaining("look the same"),
    });
  });
});

it("fields of one title stand with their names", () => {
  const text = { type: "string", title: "Amount to pay" };
  const form = normaliseForm({
    type: "object",
    properties: { a: text, b: { ...text, title: "amount  TO pay" }, c: { type: "string" } },
  });
  expect(form).toMatchObject({
    fields: [{ title: "Amount to pay (a)" }, { title: "amount  TO pay (b)" }, { title: "c" }],
  });
});

it("no title reads as another's with its name", () => {
  const titlesOf = (titles: Record<string, string>) => {
    const named = Object.entries(titles).map(([name, title]) => [name, { type: "string", title }]);
    const form = normaliseForm({ type: "object", properties: Object.fromEntries(named) });
    return form?.kind === "supported" ? form.fields.map(({ title }) => title) : [];
  };
  expect(new Set(titlesOf({ a: "X", b: "X", c: "X (a)" })).size).toBe(3);
  expect(titlesOf({ "caf\u00e9": "X", "cafe\u0301": "X" })).toEqual([
    'X ("caf\\u00e9")',
    'X ("cafe\\u0301")',
  ]);
  expect(titlesOf({ "a b": "X", "a  b": "X" })).toEqual(['X ("a b")', 'X ("a\\u0020 b")']);
  expect(titlesOf({ pay: "X", "pay ": "X" })).toEqual(["X (pay)", 'X ("pay ")']);
  // Titles that are made for it end in no form at all.
  expect(titlesOf({ a: "X", a2: "X", b: "X (a)", c: "X (a) (a)", d: "X (a) (a) (a)" })).toEqual([]);
});
