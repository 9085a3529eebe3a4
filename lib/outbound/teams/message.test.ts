/** Cards at Teams, by what Teams takes. */
import { expect, test } from "vitest";
import { refusedInCard, textsOf } from "../../../test/servers/teams/cards.ts";
import type { Message } from "../channel/message.ts";
import { askChange, askReason, type StoredPress } from "../channel/press-schema.ts";
import { teamsMessage } from "./message.ts";
import { windowOf } from "./press-schema.ts";

const press: StoredPress = {
  request: "0197b4f0-0000-7000-8000-000000000000",
  questionHash: "h",
  kind: "change",
  content: null,
  channel: "a:1",
  ts: "1",
  reason: null,
  typed: null,
};
const { channel: _, ts: __, reason: ___, typed: ____, ...value } = press;
const button = {
  kind: "change" as const,
  content: null,
  label: "Approve with changes…",
  style: null,
  reason: null,
};
const message = (more: Partial<Message>): Message => ({
  title: "A request waits",
  about: "pay on ERP",
  asked: { by: "“ERP” asks", texts: ["Pay?"], arguments: ["amount: 12"] },
  votes: "Finance: 0 of 2",
  buttons: [
    { label: "Approve", style: "primary", value, asks: false },
    { label: "Decline…", style: "danger", value, asks: true },
  ],
  url: "https://intray.example/inbox/1",
  isClosed: false,
  ...more,
});
const cardOf = (more: Partial<Message> = {}) => teamsMessage(message(more)).attachments[0].content;

test("a card has the question, the votes and what may be pressed, as Teams takes it", () => {
  const card = cardOf();
  expect(refusedInCard(card)).toBeNull();
  expect(textsOf({ card })).toEqual([
    ...["A request waits", "pay on ERP", "“ERP” asks", "Pay?", "The arguments of the call", "amount: 12"],
    ...["Finance: 0 of 2", "Approve", "Decline…", "Open in Intray"],
  ]);
  expect(card.actions).toMatchObject([
    { type: "Action.Execute", style: "positive" },
    { type: "Action.Submit", style: "destructive", data: { msteams: { type: "task/fetch" } } },
    { type: "Action.OpenUrl" },
  ]);
});

test("a question that is too large for Teams is left to Intray", () => {
  const asked = {
    by: "x",
    texts: ["漢".repeat(9_000), "字".repeat(9_000), "語".repeat(9_000)],
    arguments: [],
  };
  const card = cardOf({ asked });
  expect(textsOf({ card })).toEqual(["A request waits", "pay on ERP", "Finance: 0 of 2", "Open in Intray"]);
});

test.each<[string, Partial<Message>]>([
  ["more choices than Teams shows", { buttons: Array.from({ length: 6 }, () => message({}).buttons[0]!) }],
  ["a label that Teams would cut", { buttons: [{ label: "x".repeat(76), style: null, value, asks: false }] }],
  [
    "a text that Teams shows as a date",
    { asked: { by: "x", texts: ["{{DATE(2026-01-01T00:00:00Z)}}"], arguments: [] } },
  ],
])("%s leaves the decision to Intray", (_name, more) => {
  expect(cardOf(more).actions).toMatchObject([{ title: "Open in Intray" }]);
});

test("windows ask for a reason, and for the arguments, each of its kind", () => {
  const reason = windowOf(
    askReason({ ...button, label: "Decline…", reason: "required" }, press, "pay on ERP"),
  );
  expect([reason.title, refusedInCard(reason.card)]).toEqual(["Decline", null]);
  expect(reason.card.body).toMatchObject([{}, { type: "Input.Text", isRequired: true, isMultiline: true }]);
  const args = { to: "Acme", amount: 12.5, urgent: true, due: "2026-12-01" };
  const change = windowOf(askChange(button, press, "pay on ERP", args));
  expect(refusedInCard(change.card)).toBeNull();
  expect(change.card.body.slice(1)).toMatchObject([
    { type: "Input.Text", value: "Acme" },
    { type: "Input.Number", value: 12.5 },
    { type: "Input.ChoiceSet", value: "true" },
    { type: "Input.Date", value: "2026-12-01" },
  ]);
});
