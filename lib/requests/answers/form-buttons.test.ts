import { describe, expect, test } from "vitest";
import type { Field, Form } from "../../mcp/forms/form.ts";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { decisionOf, isApproval } from "./form-buttons.ts";
import { isRejection, rejectionOf, saysNo } from "./rejection.ts";

const base = { title: "Decision", description: null, required: true };
const form = (...fields: Field[]): Form => ({ kind: "supported", fields });
const oneOf = (...options: string[]): Field => ({
  ...base,
  name: "decision",
  kind: "one_of",
  options: options.map((value) => ({ value, title: value })),
  default: null,
});

const titled = (...options: [value: string, title: string][]): Field => ({
  ...oneOf(),
  kind: "one_of",
  options: options.map(([value, title]) => ({ value, title })),
  default: null,
});

describe("how a form is decided", () => {
  test("one required choice: a button each, the affirmative one first", () => {
    expect(decisionOf(form(oneOf("reject", "approve")))).toMatchObject({
      kind: "choices",
      choices: [
        { label: "Approve", content: { decision: "approve" }, affirmative: true },
        { label: "Reject", content: { decision: "reject" }, affirmative: false },
      ],
    });
  });
  test("one yes or no: two buttons under its question", () => {
    const field: Field = { ...base, name: "go", title: "Go on?", kind: "boolean", default: true };
    expect(decisionOf(form(field))).toMatchObject({
      question: "Go on?",
      choices: [{ label: "Yes" }, { label: "No", content: { go: false } }],
    });
  });
  test("one required number of few: a button each, under what they are about", () => {
    const options = [1, 2].map((value) => ({ value, title: String(value) }));
    const field: Field = { ...base, name: "stars", title: "Stars", kind: "one_of", options, default: null };
    expect(decisionOf(form(field))).toMatchObject({
      kind: "choices",
      question: "Stars",
      choices: [{ label: "1", content: { stars: 1 } }, { label: "2" }],
    });
  });
  test.each([
    ...[
      "payment_refused",
      "Allowance denied",
      "okra",
      "Pay nothing, veto",
      "Yes, do not pay",
      "OK, don’t pay",
    ],
    ...["unauthorized", "approve_not", "Send back"],
  ])("%s is not the affirmative choice", (value) => {
    const { choices } = decisionOf(form(oneOf("other", value))) as { choices: { affirmative: boolean }[] };
    expect(choices.map(({ affirmative }) => affirmative)).toEqual([false, false]);
  });
  test.each<[string, Field]>([
    ["a choice", titled(["yes", `Yes, ${"as agreed ".repeat(20)}`], ["no", "No"])],
    ["the question", { ...base, name: "go", title: "Go on ".repeat(100), kind: "boolean", default: null }],
    ["the description", { ...oneOf("a", "b"), description: "Go on ".repeat(100) }],
  ])("%s is too long for buttons: a form, which scrolls", (_, field) => {
    expect(decisionOf(form(field))).toMatchObject({ kind: "form" });
  });
  test("no fields: confirm only", () => {
    expect(decisionOf(form())).toEqual({ kind: "confirm" });
  });
  test("many options or several fields: a form", () => {
    expect(decisionOf(form(oneOf("a", "b", "c", "d", "e"))).kind).toBe("form");
    expect(decisionOf(form(oneOf("a", "b"), oneOf("c", "d"))).kind).toBe("form");
  });
  test("an optional choice is a form: leaving it out is an answer too", () => {
    expect(decisionOf(form({ ...oneOf("a", "b"), required: false })).kind).toBe("form");
  });
  test("what a choice is called and what it sends contradict each other: it is not the affirmative one", () => {
    expect(decisionOf(form(titled(["approve", "Reject"], ["reject", "Reject it"])))).toMatchObject({
      choices: [{ label: "Reject", affirmative: false }, { label: "Reject it" }],
    });
  });
  test("a choice that hides characters is not the affirmative one", () => {
    for (const title of ["\u202etcejeR", "\ufffdtcejeR", "Approve\u200b"])
      expect(decisionOf(form(titled(["approve", title])))).toMatchObject({
        choices: [{ affirmative: false }],
      });
  });
  test("the title of the only choice stands above its buttons, unless it says nothing", () => {
    const questionOf = (field: Field) => decisionOf(form(field)) as { question?: string | null };
    expect(questionOf({ ...oneOf("yes", "no"), title: "Delete the archive?" }).question).toBe(
      "Delete the archive?",
    );
    expect(questionOf(oneOf("yes", "no")).question).toBeNull();
    const approve: Field = { ...base, name: "approve", title: "approve", kind: "boolean", default: null };
    expect(questionOf(approve).question).toBeNull();
    expect(questionOf({ ...approve, title: "Pay twice?" })).toMatchObject({
      question: "Pay twice?",
      choices: [{ label: "Approve" }, { label: "Reject" }],
    });
  });
  test("a title that refuses turns the words of a yes or no round, so that they are not used", () => {
    const field: Field = {
      ...base,
      name: "approve",
      title: "Reject this payment",
      kind: "boolean",
      default: null,
    };
    expect(decisionOf(form(field))).toMatchObject({
      question: "Reject this payment",
      choices: [{ label: "Yes", affirmative: false }, { label: "No" }],
    });
    expect(rejectionOf(form(field))).toBeNull();
  });
  test.each([
    "Keep the payment blocked?",
    "Is it fraud?",
    "Wait for the second approver?",
    "Freeze the account?",
  ])("a no to “%s” may go on, so that it ends no request where several have to agree", (title) => {
    for (const name of ["approve", "confirm"])
      expect(rejectionOf(form({ ...base, title, name, kind: "boolean", default: null }))).toBeNull();
    const choice = { ...titled(["yes", "Yes"], ["no", "No"]), title };
    expect(rejectionOf(form(choice))).toBeNull();
  });
  test("a secret is never asked for", () => {
    expect(decisionOf({ kind: "secret", reason: "asks for a password", field: "p" })).toEqual({
      kind: "none",
      reason: "asks for a password",
    });
  });
});

describe("how a form itself says no", () => {
  const text = (name: string, required = false): Field => ({
    ...base,
    name,
    title: name,
    required,
    kind: "text",
    format: null,
    minLength: null,
    maxLength: null,
    default: null,
  });
  const approved: Field = { ...base, name: "approved", kind: "boolean", default: null };

  test.each([
    ["a choice", form(oneOf("approve", "reject")), { decision: "reject" }, null],
    [
      "a choice with a reason",
      form(oneOf("approve", "deny"), text("reason", true)),
      { decision: "deny" },
      "reason",
    ],
    ["a yes or no with a note", form(approved, text("internal_note")), { approved: false }, "internal_note"],
  ])("%s", (_, shape, content, reasonField) => {
    expect(rejectionOf(shape)).toMatchObject({ content, reasonField });
  });
  test.each([
    ["more has to be filled in", form(oneOf("approve", "reject"), text("cost_center", true))],
    ["what begins with a no does more", form(oneOf("keep it", "no backup, delete"))],
    ["no option is a no", form(oneOf("now", "later"))],
    ["a yes or no of another kind", form({ ...approved, name: "urgent" })],
    ["nothing to choose", form(text("reason"))],
    ["a choice called Reject sends a yes", form(titled(["approve", "Reject"]))],
    ["it sends a yes with hidden letters", form(titled(["ap\u200bprove", "Reject"]))],
    ["it sends a yes in other letters", form(titled(["ＡＰＰＲＯＶＥ", "Reject"]))],
    ["it sends a yes after other words", form(titled(["auto-approve", "Reject"]), text("reason"))],
    ["a choice called Approve sends a no", form(titled(["reject", "Approve"]))],
    ["a secret", { kind: "secret", reason: "asks for a password", field: "p" } as Form],
  ])("not where %s", (_, shape) => {
    expect(rejectionOf(shape)).toBeNull();
  });

  const number = (name: string, value: number | null): Field => ({
    ...{ ...base, name, required: false },
    kind: "number",
    integer: true,
    minimum: null,
    maximum: null,
    default: value,
  });
  const payment = form(
    oneOf("approve", "reject"),
    { ...oneOf("wire", "card"), name: "method", required: false },
    { ...approved, name: "pay_now", required: false },
    number("amount", 10),
    text("iban"),
    text("reason"),
  );
  const no = { decision: "reject" };

  test.each<[string, string, Record<string, unknown> | null, boolean, boolean]>([
    ["declining", "decline", null, true, true],
    ["dismissing", "cancel", null, true, true],
    ["the no alone", "accept", no, true, true],
    ["the no with a reason", "accept", { ...no, reason: "Too much" }, true, true],
    ["the no with what was filled in", "accept", { ...no, amount: 10 }, false, true],
    ["the no with another number", "accept", { ...no, amount: 90_000 }, false, true],
    ["the no with a text", "accept", { ...no, iban: "DE00 1234" }, false, true],
    // A choice is never made for a person, so that one that is there was made.
    ["the no with a choice", "accept", { ...no, method: "wire" }, false, true],
    ["the no with a yes", "accept", { ...no, pay_now: true }, false, true],
    ["a yes", "accept", { decision: "approve" }, false, false],
    ["nothing", "accept", {}, false, false],
  ])("%s is a rejection, or says no among other things", (_, action, content, rejects, isNo) => {
    expect([isRejection(payment, action, content), saysNo(payment, action, content)]).toEqual([
      rejects,
      isNo,
    ]);
  });

  test("says no also where more has to be filled in, which the Reject button can't", () => {
    const shape = form(approved, text("cost_center", true));
    const content = { approved: false, cost_center: "CC-1" };
    expect([isRejection(shape, "accept", content), saysNo(shape, "accept", content)]).toEqual([false, true]);
    expect(saysNo(shape, "accept", { ...content, approved: true })).toBe(false);
    expect(saysNo({ kind: "unsupported", reason: "nested" }, "accept", {})).toBe(false);
  });
});

test.each<[string, string, boolean]>([
  ["approve", "Reject", false],
  ["approved", "Deny", false],
  ["yes", "No", false],
  ["true", "No", false],
  ["reject", "Approve", false],
  ["r1", "Reject", false],
  ["t", "Reject", false],
  ["reject", "Nein", false],
  ["reject", "Nein (sends “reject”)", false],
  ["deny_payment", "Deny", true],
  ["rejected", "Rejected", true],
  ["declined", "Declined", true],
  ["refuse_to_cancel", "Refuse to cancel", false],
  ["reject_hold", "Reject", false],
  ["no_hold", "Deny", false],
  ["deny", "Deny – put on hold", false],
  ["reject", "Reject / Deny", false],
  ["do_not_approve", "Reject", false],
  ["no_review_wire_now", "Reject", false],
  ["deny_claim_pay_invoice", "Reject", false],
  ["reject,transfer", "Reject", false],
  ["hold_released_wire", "Reject", false],
])("%s, called %s, ends a request where several have to agree: %s", (value, title, rejects) => {
  const shape = form(titled([value, title], ["accept", "Accept"]));
  const content = { decision: value };
  expect(isRejection(shape, "accept", content)).toBe(rejects);
  // Nobody may take it for a consent, whatever it is.
  expect(saysNo(shape, "accept", content)).toBe(true);
});

test.each([
  ["a choice", { type: "string", enum: ["yes", "no"], title: "Reject the payment?" }, "yes", true],
  ["the no to it", { type: "string", enum: ["yes", "later"], title: "Reject the payment?" }, "later", false],
  [
    "a list",
    { type: "array", items: { type: "string", enum: ["INV-1", "INV-2"] }, title: "Reject which?" },
    ["INV-1"],
    true,
  ],
  [
    "an empty list",
    { type: "array", items: { type: "string", enum: ["INV-1"] }, title: "Reject which?" },
    [],
    false,
  ],
  [
    "a choice between both",
    { type: "string", enum: ["approve", "reject"], title: "Reject or approve?" },
    "approve",
    false,
  ],
])("a yes to a field that asks for a no is a no: %s", (_, property, given, isNo) => {
  const asked = normaliseForm({ type: "object", properties: { held: property }, required: ["held"] })!;
  expect(saysNo(asked, "accept", { held: given })).toBe(isNo);
  const decision = decisionOf(asked);
  if (decision.kind === "choices" && isNo)
    expect(decision.choices.some(({ affirmative }) => affirmative)).toBe(false);
});

test.each([
  ["of a server", { origin: "server", gate: null, tool: "pay" }, false],
  ["of a server's tool of that name", { origin: "server", gate: null, tool: "request_approval" }, false],
  ["in front of a call", { origin: "intray", gate: { rule: null }, tool: "pay" }, true],
  ["asked for", { origin: "intray", gate: null, tool: "request_approval" }, true],
  ["asked of a person", { origin: "intray", gate: null, tool: "ask_person" }, false],
])("a question %s is an approval or not", (_, asked, expected) => {
  expect(isApproval(asked)).toBe(expected);
});
