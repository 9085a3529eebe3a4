import { expect, test } from "vitest";
import type { Form } from "../mcp/forms/form.ts";
import { type Decision, outcomeOfDecision, resultOf } from "./outcome.ts";

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
  ...{ form, action: "accept", content: {}, comment: null, by, at },
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
    structuredContent: outcome,
  });
});
