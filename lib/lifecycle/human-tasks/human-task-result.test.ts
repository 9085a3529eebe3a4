import { expect, test } from "vitest";
import type { Form } from "../../mcp/forms/form.ts";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { type Decision, outcomeOfDecision, resultOf } from "./human-task-result.ts";

const by = { id: "b", name: "Ben" };
const at = new Date("2026-11-24T10:00:00Z");
const said = { by, at: at.toISOString() };
const base = { title: "", description: null, default: null };
const form: Form = {
  kind: "supported",
  fields: [
    { ...base, name: "approved", kind: "boolean", required: true },
    {
      ...{ ...base, name: "iban", kind: "text", required: true },
      ...{ format: null, minLength: null, maxLength: null },
    },
  ],
};
const titled = (value: string) => ({ value, title: value });
const choiceOf = (no: string): Form => ({
  kind: "supported",
  fields: [
    {
      ...{ ...base, name: "decision", kind: "one_of", required: true },
      options: [titled("approved"), titled(no)],
    },
  ],
});
const choice = choiceOf("rejected");
const yesOrNo = (name: string): Form => ({
  kind: "supported",
  fields: [{ ...base, name, kind: "boolean", required: true }],
});
const decision = (more: Partial<Decision>): Decision => ({
  ...{ form, action: "accept", content: {}, comment: null, revise: false, by, at },
  ...more,
});
const yes = { approved: true, iban: "DE1" };
const no = { approved: false, iban: "DE1" };

test.each<[string, string, Decision | null, object, string]>([
  [
    "an approval",
    "request_approval",
    decision({ content: yes, comment: "Today" }),
    { outcome: "answered", content: yes, ...said, comment: "Today" },
    'Ben approved: {"approved":true,"iban":"DE1"}\nBen said: Today',
  ],
  [
    "an approval whose form was filled in with a no",
    "request_approval",
    decision({ content: no }),
    { outcome: "declined", content: no, ...said },
    'Ben declined: {"approved":false,"iban":"DE1"}',
  ],
  [
    "an approval that is to be revised",
    "request_approval",
    decision({ action: "decline", content: null, comment: "Use the staging table", revise: true }),
    { outcome: "declined", revise: true, ...said, reason: "Use the staging table" },
    "Ben asks you to revise this: Use the staging table\nIt is not approved. Change it as they say, then call request_approval again.",
  ],
  [
    "a question that is to be revised",
    "ask_person",
    decision({ action: "decline", content: null, comment: "Which table?", revise: true }),
    { outcome: "declined", revise: true, ...said, reason: "Which table?" },
    "Ben asks you to revise this: Which table?\nIt is not answered. Change it as they say, then call ask_person again.",
  ],
  [
    "the same with a reason",
    "request_approval",
    decision({ content: no, comment: "Too much" }),
    { outcome: "declined", content: no, ...said, reason: "Too much" },
    'Ben declined: {"approved":false,"iban":"DE1"}\nBen said: Too much',
  ],
  [
    "an approval by a choice that is a no",
    "request_approval",
    decision({ form: choice, content: { decision: "rejected" } }),
    { outcome: "declined", content: { decision: "rejected" }, ...said },
    'Ben declined: {"decision":"rejected"}',
  ],
  [
    "an approval whose only yes or no is a no",
    "request_approval",
    decision({ form: yesOrNo("ok"), content: { ok: false } }),
    { outcome: "declined", content: { ok: false }, ...said },
    'Ben declined: {"ok":false}',
  ],
  ...["No, stop it", "Reject and block sender", "Veto", "no_hold"].map(
    (value): [string, string, Decision, object, string] => [
      `an approval by ${value}`,
      "request_approval",
      decision({ form: choiceOf(value), content: { decision: value } }),
      { outcome: "declined", content: { decision: value }, ...said },
      `Ben declined: ${JSON.stringify({ decision: value })}`,
    ],
  ),
  [
    "an approval that says yes to a no",
    "request_approval",
    decision({ form: yesOrNo("reject"), content: { reject: true } }),
    { outcome: "declined", content: { reject: true }, ...said },
    'Ben declined: {"reject":true}',
  ],
  [
    "a question, whose answer is a no",
    "ask_person",
    decision({ content: no }),
    { outcome: "answered", content: no, ...said },
    'Ben answered: {"approved":false,"iban":"DE1"}',
  ],
  [
    "an approval that was declined",
    "request_approval",
    decision({ action: "decline", content: null, comment: "Not ours" }),
    { outcome: "declined", ...said, reason: "Not ours" },
    "Ben declined: Not ours",
  ],
  [
    "an approval that was dismissed",
    "request_approval",
    decision({ action: "cancel", content: null }),
    { outcome: "declined", ...said },
    "Ben declined.",
  ],
  [
    "an approval that nobody decided",
    "request_approval",
    null,
    { outcome: "expired", at: said.at },
    "Nobody decided in time. Silence is no consent: take it for a no.",
  ],
])("%s ends as what was said", (_, tool, decided, outcome, text) => {
  const ended = outcomeOfDecision(tool, decided, at);
  expect(ended).toEqual(outcome);
  expect(resultOf(tool, ended)).toEqual({
    content: [{ type: "text", text }],
    structuredContent: { ...outcome, message: text },
  });
});

const flag = (title?: string) => ({ type: "boolean", ...(title && { title }) });

test.each<[string, Record<string, object>, Record<string, unknown>]>([
  ["a text", { decision: { type: "string" } }, { decision: "No, do not pay" }],
  ["a text after a title", { decision: { type: "string", title: "Approve? (yes/no)" } }, { decision: "no" }],
  ["a text that takes its yes back", { answer: { type: "string" } }, { answer: "Approve nothing" }],
  [
    "a text beside a yes",
    { approve: flag(), decision: { type: "string" } },
    { approve: true, decision: "Do not pay" },
  ],
  [
    "a text that is called a note and asked as the question",
    { note: { type: "string", title: "Approve? (yes/no)" } },
    { note: "no" },
  ],
  ["a yes to a no", { reject: { type: "string", title: "Reject the payment? (yes/no)" } }, { reject: "yes" }],
  ["a number", { approve: { type: "number", title: "1 = yes, 0 = no" } }, { approve: 0 }],
  ["a bit", { flag: { type: "integer", minimum: 0, maximum: 1 }, more: { type: "string" } }, { flag: 0 }],
  ["the only number", { tier: { type: "integer" } }, { tier: 0 }],
  ["a choice of 0", { approve: { type: "integer", enum: [0, 1] } }, { approve: 0 }],
  ["a choice of a written 0", { approve: { type: "string", enum: ["0", "1"] } }, { approve: "0" }],
  ["two yes-or-nos", { a: flag("Amount is right"), b: flag("Supplier is known") }, { a: false, b: false }],
  ["one of two", { a: flag("Amount is right"), b: flag("Supplier is known") }, { a: true, b: false }],
  [
    "a text that is named a comment, and asks",
    { comment: { type: "string", title: "Your decision, yes or no" } },
    { comment: "No, do not pay" },
  ],
  [
    "two that are named notes",
    { note_a: flag("The amount is right"), note_b: flag("The supplier is known") },
    { note_a: true, note_b: false },
  ],
  ...[
    "Do you want to cancel the payment?",
    "Invoice INV-1: reject?",
    "Reject payment (USD 100 or more)?",
    "Reject the payment of invoice 2024/113?",
  ].map((title): [string, Record<string, object>, Record<string, unknown>] => [
    `a yes to “${title}”`,
    { held: flag(title) },
    { held: true },
  ]),
  ...[
    "OK, skip the payment",
    "Yes, void it",
    "Okay, nope",
    "Yes — unapproved",
    "Approve later",
    "Approve 🚫",
  ].map((title): [string, Record<string, object>, Record<string, unknown>] => [
    `the choice “${title}”`,
    { decision: { type: "string", oneOf: [{ const: "approve", title }] } },
    { decision: "approve" },
  ]),
  ...["needs_changes", "Flag as fraud", "escalate", "abstain", "Later today", "unsure"].map(
    (value): [string, Record<string, object>, Record<string, unknown>] => [
      `the choice “${value}” beside a consent`,
      { decision: { type: "string", enum: ["approve", "reject", value] } },
      { decision: value },
    ],
  ),
  ...[
    ["Ship", "Needs changes"],
    ["Ship it", "Scrap it"],
    ["Release the order", "Drop the order"],
    ["Merge", "Close it"],
    ["Pay now", "In two weeks"],
    ["Release", "Escalate to legal"],
    ["LGTM", "Request changes"],
    ["Pass", "Fail"],
    ["Pay", "Fraud"],
    ["Pay", "Dispute"],
    ["Pay", "Return to sender"],
    ["Legitimate", "Spam"],
  ].map((titles): [string, Record<string, object>, Record<string, unknown>] => [
    `the choice “${titles[1]}” beside “${titles[0]}”`,
    { decision: { type: "string", oneOf: titles.map((title, at) => ({ const: `c_${at}`, title })) } },
    { decision: "c_1" },
  ]),
  ...[
    ["is_fraud", "Is this fraudulent?"],
    ["needs_changes", undefined],
    ["flag", "Flag for review"],
    ["x", "Is it a duplicate?"],
    ["x", "Fraud? No goods came"],
  ].map(([name = "", title]): [string, Record<string, object>, Record<string, unknown>] => [
    `a yes to ${name} beside an approval`,
    { approve: flag(), [name]: flag(title) },
    { approve: true, [name]: true },
  ]),
  [
    "an alarm in what decides, too",
    { approve: flag(), decision: { type: "string", enum: ["pay", "fraud"] } },
    { approve: true, decision: "fraud" },
  ],
  ...["This is fraud", "Wrong IBAN", "Ask Cleo first"].map(
    (text): [string, Record<string, object>, Record<string, unknown>] => [
      `the text “${text}” to a title that asks`,
      { d: { type: "string", title: "Shall we pay?" } },
      { d: text },
    ],
  ),
  ...["Yes that one is fraud", "Yes, but wait for legal"].map(
    (text): [string, Record<string, object>, Record<string, unknown>] => [
      `the text “${text}”`,
      { d: { type: "string", title: "Decision" } },
      { d: text },
    ],
  ),
  [
    "its decision in a text beside a yes to something else",
    { agree: flag("I have read the terms"), decision: { type: "string", title: "Your decision" } },
    { agree: true, decision: "this is fraud" },
  ],
  [
    "a note where nothing decides",
    { comment: { type: "string", title: "Comment" }, name: { type: "string", title: "Your name" } },
    { comment: "I reject this. Do not pay!", name: "Ben" },
  ],
  ["a yes to a stop", { x: flag("Should the payment be stopped?") }, { x: true }],
  ["a sign", { d: { type: "string", enum: ["👍", "👎"] } }, { d: "👎" }],
  ...[
    "This is fraud. Do not pay.",
    "Too expensive, do not pay",
    "Sorry, no",
    "Absolutely not",
    "Under no circumstances",
    "I would rather not",
    "Wait",
    "-",
    "❌",
    "👎",
  ].map((text): [string, Record<string, object>, Record<string, unknown>] => [
    `the text “${text}”`,
    { d: { type: "string", title: "Decision" } },
    { d: text },
  ]),
  [
    "a text that goes on",
    { approve: flag(), cost_center: { type: "string" } },
    { approve: true, cost_center: "4711, but do not pay" },
  ],
  [
    "a decision that is left out, and a comment",
    { decision: { type: "string", enum: ["approve", "reject"] }, comment: { type: "string" } },
    { comment: "no!" },
  ],
  ["nothing", { approve: flag(), x: { type: "string" } }, {}],
  ["no decision in words", { decision: { type: "string" }, x: { type: "string" } }, { x: "4711" }],
  [
    "no tick",
    { items: { type: "array", title: "Approve which?", items: { type: "string", enum: ["a", "b"] } } },
    { items: [] },
  ],
  ["an only note", { comment: { type: "string", title: "Shall we pay?" } }, { comment: "No" }],
  ["a note that asks", { reason: { type: "string", title: "Your answer" } }, { reason: "Do not pay" }],
  ["one that has note in its name", { notable: flag("Worth it"), b: flag() }, { notable: false, b: true }],
])("an approval whose form says no by %s is declined", (_, properties, content) => {
  const asked = decision({ form: normaliseForm({ type: "object", properties }), content });
  expect(outcomeOfDecision("request_approval", asked, at)).toMatchObject({ outcome: "declined", content });
  // To a question it is an answer like any other.
  expect(outcomeOfDecision("ask_person", asked, at)).toMatchObject({ outcome: "answered", content });
});

test.each<[string, Record<string, object>, Record<string, unknown>]>([
  ["a text", { decision: { type: "string" } }, { decision: "Yes, pay it" }],
  [
    "a yes with a note",
    { approve: flag(), reason: { type: "string", title: "Why?" } },
    { approve: true, reason: "No objections" },
  ],
  [
    "a yes with a note that is none",
    { approve: flag(), internalNote: flag("Keep a note") },
    { approve: true, internalNote: false },
  ],
  [
    "a yes with a discount of 0",
    { approve: flag(), discount: { type: "number", minimum: 0, maximum: 100 } },
    { approve: true, discount: 0 },
  ],
  ["a yes, and nothing else", { approve: flag(), urgent: flag() }, { approve: true }],
  ["a yes about a number", { ok: flag("Is invoice no. 113 right?") }, { ok: true }],
  [
    "a yes about a discount",
    { decision: { type: "string", enum: ["approve_discount", "reject"] } },
    { decision: "approve_discount" },
  ],
  [
    "what it is booked on",
    { cost_center: { type: "string" }, priority: { type: "string", enum: ["low", "high"] } },
    { cost_center: "4711" },
  ],
  [
    "a yes, and why",
    { approve: flag(), why: { type: "string", title: "Why do you approve?" }, approver: { type: "string" } },
    { approve: true, why: "The order matches", approver: "Ana" },
  ],
  ["a 1", { approve: { type: "integer", enum: [0, 1] } }, { approve: 1 }],
  ...["approve", "approve_with_conditions", "accept as it is"].map(
    (value): [string, Record<string, object>, Record<string, unknown>] => [
      `“${value}”`,
      { decision: { type: "string", enum: [...new Set(["approve", "reject", value])] } },
      { decision: value },
    ],
  ),
  ...["Yes, delete it", "Approve time off", "Approve partial payment", "Approve pending invoice"].map(
    (title): [string, Record<string, object>, Record<string, unknown>] => [
      `“${title}”`,
      {
        decision: {
          type: "string",
          oneOf: [
            { const: "approve", title },
            { const: "reject", title: "Reject" },
          ],
        },
      },
      { decision: "approve" },
    ],
  ),
  [
    "a yes beside what it is booked on",
    { approve: flag(), category: { type: "string", enum: ["Travel", "Returns", "Fraud prevention"] } },
    { approve: true, category: "Fraud prevention" },
  ],
  ["a yes to a report", { ok: flag("Approve the report?") }, { ok: true }],
  ["a yes to a flag that is not up", { ok: flag("Checked for fraud and not suspicious?") }, { ok: true }],
  ["a yes to what is no fraud", { ok: flag("Fraud check passed?") }, { ok: true }],
  [
    "which of two sums",
    { sum: { type: "string", enum: ["Pay 10", "Pay 20", "Half of it"] } },
    { sum: "Half of it" },
  ],
])("an approval whose form says %s is answered", (_, properties, content) => {
  const asked = decision({ form: normaliseForm({ type: "object", properties }), content });
  expect(outcomeOfDecision("request_approval", asked, at)).toMatchObject({ outcome: "answered", content });
});
