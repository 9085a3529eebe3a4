import { describe, expect, test } from "vitest";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { isLike, keyFigures, repeatOf, wasLetThrough } from "./key-figures.ts";
import type { Answer } from "./similar-schema.ts";

const NO_FIELDS = normaliseForm({ type: "object", properties: {} });

/** A form that such an answer may be given to: choices, but for notes. */
function formOf(content: Record<string, unknown>) {
  const fieldOf = (name: string, value: unknown) =>
    typeof value === "boolean" || typeof value === "number"
      ? { type: typeof value }
      : Array.isArray(value)
        ? { type: "array", items: { type: "string", enum: value } }
        : { type: "string", ...(name === "note" ? {} : { enum: [value] }) };
  const properties = Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, fieldOf(name, value)]),
  );
  return normaliseForm({ type: "object", properties });
}

const figures = (
  args: Record<string, unknown>,
  value?: number,
  label: string | null = null,
  currency = "USD",
) => keyFigures(args, { label, amount: value === undefined ? null : { value, currency } });

test("the names of a call are its short strings that repeat across tasks", () => {
  const read = figures(
    {
      invoice: {
        invoice_id: "INV-100",
        supplierName: "ACME  Corp",
        supplier_id: "S-7",
        project: "INV-100",
        note: "urgent",
        account: "x".repeat(61),
        region: "",
        team: 7,
      },
      environment: "production",
      customer: { name: "Globex", customer_id: "C-9" },
    },
    100,
    "INV-100",
  );
  expect(read.names).toEqual({ supplier: "acme corp", environment: "production", customer: "globex" });
  expect(read.party).toBe("ACME Corp · Globex");
});

test.each<[object, string | null]>([
  [{ supplier: "ACME Corp", payee: "Mallory Ltd" }, "ACME Corp · Mallory Ltd"],
  [{ supplier: "ACME Corp", payee: "acme  corp" }, "ACME Corp"],
  [{ supplier: "ACME Corp", order: { supplier: "Mallory Ltd" } }, "ACME Corp · Mallory Ltd"],
  [{ supplier: "ACME Corp", payee: "Mallory Ltd", beneficiary: "Other Ltd" }, null],
])("of the parties of %j both are named, and none of more", (args, party) => {
  expect(figures({ ...args }).party).toBe(party);
});

test.each(["ACME Corp · 5.00 EUR", "ACME • Globex", "5.00 EUR", "9,000.00", "EUR 5 Shop"])(
  "the party %s is not named, which a row would have people read as more than a name",
  (supplier) => {
    expect(figures({ supplier }).party).toBeNull();
    expect(figures({ supplier: "ACME", payee: supplier }).party).toBeNull();
    expect(figures({ supplier: "Col·lectiu 7 - Berlin" }).party).toBe("Col·lectiu 7 - Berlin");
  },
);

test("a party is named, however long its name is", () => {
  const long = `The ${"Very ".repeat(40)}Long Company`;
  expect(figures({ supplier: long, project: "x".repeat(61) }).party).toBe(long);
  expect(isLike(figures({ supplier: long }, 1000), figures({ supplier: long }, 1000))).toBe(true);
  expect(isLike(figures({ supplier: long }, 1000), figures({ supplier: "Another" }, 1000))).toBe(false);
});

const asked = figures({ supplier: "ACME" }, 1000);
describe("a decided call is like the asked one", () => {
  test.each([
    ["with the same supplier and amount", figures({ supplier: "acme" }, 1000), true],
    ["a quarter below", figures({ supplier: "ACME" }, 750), true],
    ["a quarter above", figures({ supplier: "ACME" }, 1250), true],
    ["but not more than that", figures({ supplier: "ACME" }, 1251), false],
    ["but not of another supplier", figures({ supplier: "Globex" }, 1000), false],
    ["but not in another currency", figures({ supplier: "ACME" }, 1000, null, "EUR"), false],
    ["but not without an amount", figures({ supplier: "ACME" }), false],
    ["but not where it names nobody", figures({}, 1000), false],
    [
      "nor where another one stands further in",
      figures({ supplier: "ACME", order: { supplier: "Evil" } }, 1000),
      false,
    ],
    ["nor where it names another party beside", figures({ supplier: "ACME", payee: "Evil" }, 1000), false],
  ])("%s", (_what, decided, like) => {
    expect(isLike(asked, decided)).toBe(like);
  });
  test.each([
    ["the same environment", { environment: "production" }, { environment: "production", build: 1 }, true],
    ["another environment", { environment: "production" }, { environment: "staging" }, false],
    ["nothing to compare", { build: 2 }, { build: 1 }, false],
  ])("without amounts: %s", (_what, one, other, like) => {
    expect(isLike(figures(one), figures(other))).toBe(like);
  });
  test.each([
    ["close", { payment: 1000 }, { payment: 1250 }, true],
    ["far apart", { payment: 90_000 }, { payment: 50 }, false],
    ["unclear", { payment: "9k" }, { payment: "9k" }, false],
    ["only in one", { payment: 50 }, {}, false],
  ])("where no amount is shown, by the largest in the arguments: %s", (_what, one, other, like) => {
    expect(isLike(figures({ supplier: "ACME", ...one }), figures({ supplier: "ACME", ...other }))).toBe(like);
  });
  test("credit notes are alike by their size too", () => {
    expect(isLike(figures({}, -100), figures({}, -110))).toBe(true);
    expect(isLike(figures({}, -100), figures({}, 100))).toBe(false);
  });
});

const now = new Date("2026-11-21T12:00:00Z");
const answered = (at: string, content: Answer["content"], action: Answer["action"] = "accept"): Answer => ({
  action,
  content,
  comment: null,
  revise: false,
  words: "Answered",
  by: { kind: "member", id: null, name: "Cleo" },
  at,
});
const approved = answered("2026-11-12T09:00:00Z", { value: "approve" });

describe("a request may repeat a decided one", () => {
  const bill = figures({ supplier: "ACME" }, 1000, "INV-100");
  test.each([
    ["the same number", figures({ supplier: "ACME" }, 900, "INV-100"), approved, "label"],
    [
      "the same number, though rejected",
      figures({}, 900, "INV-100"),
      answered("2020-01-01T00:00:00Z", null, "decline"),
      "label",
    ],
    [
      "the same number, sent back so that it comes again",
      figures({ supplier: "ACME" }, 1000, "INV-100"),
      { ...answered("2026-11-12T09:00:00Z", null, "decline"), revise: true },
      null,
    ],
    ["the same number of another supplier", figures({ supplier: "Globex" }, 1000, "INV-100"), approved, null],
    ["the same supplier and amount", figures({ supplier: "ACME" }, 1000, "INV-99"), approved, "amount"],
    ["another amount", figures({ supplier: "ACME" }, 999, "INV-99"), approved, null],
    [
      "the same amount, rejected",
      figures({ supplier: "ACME" }, 1000, "INV-99"),
      answered("2026-11-12T09:00:00Z", { value: "reject" }),
      null,
    ],
    [
      "the same amount, long ago",
      figures({ supplier: "ACME" }, 1000, "INV-99"),
      answered("2026-08-01T00:00:00Z", { value: "approve" }),
      null,
    ],
    [
      "the same amount and one of more parties than are named",
      figures({ supplier: "ACME", payee: "B", merchant: "C" }, 1000, "INV-99"),
      approved,
      "amount",
    ],
    ["the same amount of nobody", figures({}, 1000, "INV-99"), approved, null],
  ])("%s", (_what, decided, answer, by) => {
    const isLetThrough = wasLetThrough(answer, NO_FIELDS);
    expect(repeatOf(bill, { ...decided, answer, isLetThrough }, now)).toBe(by);
  });
  test("but a label without a figure is a topic, which repeats by itself", () => {
    const topic = figures({}, undefined, "python");
    expect(repeatOf(topic, { ...topic, answer: approved, isLetThrough: true }, now)).toBeNull();
  });
});

describe("only the field that decides says no", () => {
  test.each<[boolean, NonNullable<Answer["content"]>]>([
    [true, {}],
    [true, { decision: "approve", note: "November invoice" }],
    [true, { approved: true, notify_supplier: false }],
    [true, { decision: "approve", note: "no" }],
    [true, { note: "Norway, as agreed" }],
    [true, { decision: "notify and pay" }],
    [true, { decision: "approve_discount" }],
    [false, { decision: "reject", note: "as agreed" }],
    [false, { value: "Rejected" }],
    [false, { value: "reject_invoice" }],
    [false, { whatever: "no" }],
    [false, { whatever: "No, thanks" }],
    [false, { decision: "denied", amount: 5 }],
    [false, { approved: false, note: "ok" }],
    [false, { is_approved: false }],
    [false, { pay_now: false }],
    [false, { proceed: false }],
    [false, { approvalStatus: "not_approved" }],
    // In doubt a no.
    [false, { notify_supplier: false }],
    [false, { decision: "cancel_old_and_pay" }],
    ...[
      "No, this is fraud",
      "reject_as_fraud",
      "do_not_pay",
      "hold",
      "block",
      "stop",
      "disapprove",
      "don't pay",
    ].map((decision): [boolean, NonNullable<Answer["content"]>] => [false, { decision }]),
    [false, { reject: true }],
    [false, { cancel_payment: true }],
    [false, { reject: "yes", note: "ok" }],
    [false, { approve: 0 }],
    [false, { ok: "nope" }],
    [false, { may_pay: false }],
    [false, { shall_we_pay: false, urgent: true }],
    [false, { actions: ["approve", "hold"], result: ["no"] }],
  ])("%s %o", (letThrough, content) => {
    expect(wasLetThrough({ action: "accept", content }, formOf(content))).toBe(letThrough);
  });
  test("or a call that was approved with changes: nobody approved its figures", () => {
    const changed = { action: "accept" as const, content: { arguments: { amount: 90 } } };
    expect(wasLetThrough(changed, NO_FIELDS)).toBe(false);
    expect(wasLetThrough({ ...changed, content: { arguments: null as unknown as object } }, NO_FIELDS)).toBe(
      false,
    );
  });
  test.each(["decline", "cancel"] as const)("or the action %s", (action) => {
    expect(wasLetThrough({ action, content: { decision: "approve" } }, NO_FIELDS)).toBe(false);
  });
  test.each<[string, Record<string, object>, NonNullable<Answer["content"]>]>([
    [
      "a choice that is called a no",
      {
        decision: {
          oneOf: [
            { const: "approve", title: "Approve" },
            { const: "b", title: "Reject" },
          ],
        },
      },
      { decision: "b" },
    ],
    [
      "the name of a value",
      { x: { enum: ["a", "b"], enumNames: ["Pay now", "Do not pay, this is fraud"] } },
      { x: "b" },
    ],
    [
      "a yes to a title that asks for a no",
      { x: { type: "boolean", title: "Shall we reject it?" } },
      { x: true },
    ],
    [
      "what is no consent beside one",
      { decision: { enum: ["approve", "needs_changes"] } },
      { decision: "needs_changes" },
    ],
  ])("or %s", (_, fields, content) => {
    const properties = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, { type: "string", ...field }]),
    );
    const form = normaliseForm({ type: "object", properties, required: Object.keys(properties) });
    expect(form.kind).toBe("supported");
    expect(wasLetThrough({ action: "accept", content }, form)).toBe(false);
  });
  const choices = (...said: string[]) => ({
    decision: { enum: said.map((each) => each.toLowerCase()), enumNames: said },
  });
  test.each<[Record<string, object>, string[]]>([
    [choices("Pay", "Fraud", "Dispute", "Return to sender", "Report", "Escalate"), ["pay"]],
    [choices("Ship", "Needs changes"), ["ship"]],
    [choices("Release", "Escalate to legal"), ["release"]],
    [choices("Pay", "Pay later", "Later", "Wait"), ["pay"]],
    [choices("Send the money", "Keep the money"), ["send the money"]],
    [choices("Approve the report", "Request changes"), ["approve the report"]],
    // None says yes, so that a choice is refused by its own words.
    [choices("LGTM", "Request changes", "Needs changes", "Send back"), ["lgtm"]],
    [choices("Pass", "Fail"), ["pass"]],
    [choices("Legitimate", "Spam", "Phishing"), ["legitimate"]],
    [choices("Rent", "Office", "Travel"), ["rent", "office", "travel"]],
  ])("of the choices %j only %j let it through", (fields, through) => {
    const form = normaliseForm({
      type: "object",
      properties: Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, { type: "string", ...field }]),
      ),
      required: ["decision"],
    });
    if (form.kind !== "supported" || form.fields[0]?.kind !== "one_of") throw new Error("no choices");
    const passed = form.fields[0].options.filter(({ value }) =>
      wasLetThrough({ action: "accept", content: { decision: value } }, form),
    );
    expect(passed.map(({ value }) => value)).toEqual(through);
  });
  test.each([
    ...["is_fraud", "fraudulent", "needs_changes", "dispute", "hold", "flag", "suspicious", "duplicate"].map(
      (name) => [name, undefined],
    ),
    ["x", "Is this fraudulent?"],
    ["x", "Send it back?"],
    ["x", "Is it a duplicate?"],
  ])("nor a yes to %s titled %s, alone or beside an approval", (name = "", title) => {
    const properties = {
      [name]: { type: "boolean", ...(title && { title }) },
      approve: { type: "boolean" },
    };
    const form = normaliseForm({ type: "object", properties });
    expect(wasLetThrough({ action: "accept", content: { [name]: true } }, form)).toBe(false);
    expect(wasLetThrough({ action: "accept", content: { [name]: true, approve: true } }, form)).toBe(false);
  });
  test("what is ticked in a list raises an alarm, too", () => {
    const form = normaliseForm({
      type: "object",
      properties: {
        approve: { type: "boolean" },
        marks: { type: "array", items: { type: "string", enum: ["rush", "suspicious"] } },
      },
    });
    const given = (marks: string[]) =>
      wasLetThrough({ action: "accept", content: { approve: true, marks } }, form);
    expect([given(["rush"]), given(["rush", "suspicious"])]).toEqual([true, false]);
  });
  test("and in doubt it is one: a form or a list that is too long to be read", () => {
    expect(wasLetThrough({ action: "accept", content: { decision: "approve" } }, null)).toBe(false);
    expect(wasLetThrough({ action: "accept", content: { which: null } }, NO_FIELDS)).toBe(false);
    const decision = Array.from({ length: 250 }, (_, at) => `${at} ${"yes ".repeat(200)}`);
    expect(wasLetThrough({ action: "accept", content: { decision } }, NO_FIELDS)).toBe(false);
  });
});
