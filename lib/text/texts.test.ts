import { expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../test/guards/busiest-turn.ts";
import { EVENT_TYPES } from "../history/events/event-schema.ts";
import { failureWords } from "../requests/statistics/overview-words.ts";
import { parseJsonText, readResult } from "../tasks/words/result.ts";
import { describeEvent } from "../web/words/activity-words.ts";
import { shortTexts } from "./foreign/short-texts.ts";
import { humanise, shorten } from "./labels.ts";
import { writtenOver } from "./line-ends.ts";
import { withRecentDueDates } from "./sample-invoice.ts";
import { diffLines, diffWords } from "./text-diff.ts";

const actor = { kind: "member" as const, id: null, name: "Ben" };

test("names become words", () => {
  expect(["due_date", "dueDate", "invoice_id", "x"].map(humanise)).toEqual([
    "Due date",
    "Due date",
    "Invoice ID",
    "X",
  ]);
});

test("long text is cut at a word", () => {
  expect(shorten("one two three", 9)).toBe("one two…");
});

test("an event is a sentence; an unknown one its type in plain words", () => {
  expect(describeEvent({ type: "answer.recorded", actor, data: { action: "decline" } }).text).toBe(
    "Ben declined",
  );
  expect(describeEvent({ type: "request.withdrawn", actor, data: { reason: "replaced" } }).text).toBe(
    "Question withdrawn: another question took its place",
  );
  const engine = { ...actor, kind: "engine" as const };
  expect(describeEvent({ type: "request.opened", actor: engine, data: {} }).text).toBe("Server asked");
  expect(describeEvent({ type: "request.opened", actor: engine, data: { via: "recipe" } }).text).toBe(
    "Recipe asked",
  );
  expect(describeEvent({ type: "moon.phase_changed", actor, data: {} }).text).toBe("Moon phase changed");
});

test("a line says of a key, an agent and a rule what they are, at its beginning and amid it", () => {
  const by = (kind: "key" | "agent" | "rule") => ({ ...actor, kind });
  const line = (type: string, kind: "key" | "agent" | "rule", data = {}) =>
    describeEvent({ type, actor: by(kind), data }).text;
  expect(line("answer.recorded", "key", { action: "decline" })).toBe("The API key Ben declined");
  expect(line("request.opened", "agent")).toBe("The agent “Ben” asked");
  expect(line("answer.recorded", "rule", { words: "Approved" })).toBe("The rule Ben approved");
  expect(line("bulk.ended", "key", { action: "cancel", done: 2 })).toBe(
    "Bulk operation by the API key Ben ended: cancelled 2 tasks",
  );
  expect(line("organization.export_broken_off", "key")).toBe(
    "An export of the whole organization by the API key Ben broke off",
  );
  const withoutDetails = {
    type: "answer.recorded",
    actor: by("key"),
    data: {},
    detailsDeleted: true as const,
  };
  expect(describeEvent(withoutDetails).text).toBe("Answer recorded by the API key Ben; details were deleted");
  // As a proposal keeps who made it.
  const proposed = { as: "withdrawn", proposedBy: "the API key Ben" };
  expect(line("policy.proposal_ended", "key", proposed)).toBe(
    "The API key Ben withdrew the proposed change of the policy",
  );
});

test.each(EVENT_TYPES)("%s has words of its own, also where retention has dropped what it said", (type) => {
  const { text } = describeEvent({ type, actor, data: {} });
  expect(text).not.toBe(humanise(type.replaceAll(".", " ")));
  expect(text).toMatch(/^[A-Z].{4,}$/);
  expect(text).not.toMatch(/undefined|null|NaN|“”|: $/);
});

test.each([
  ["task.started", { durable: false }, "The call is running. The server did not make it a task"],
  ["task.started", { ttlMs: null }, "Task accepted by the server"],
  ["task.adopted", {}, "Ben took it over from the server"],
  ["task.start_settled", { started: false }, "Ben found that it never started"],
  ["task.lost", { code: "connection_lost" }, "Lost: the connection ended before the result came"],
  ["task.lost", { code: "too_large" }, "Lost: the server’s reply was larger than Intray takes"],
  ["task.lost", { code: "lost" }, "The server no longer knows this task"],
  ["request.opened", {}, /^Ben asked$/],
  ["request.replaced", {}, /^Server asked a different question instead$/],
  ["request.replaced", { via: "recipe" }, /^Recipe asked a different question instead$/],
  ["request.reworded", { via: "recipe" }, /^Recipe changed the wording again$/],
  ["request.reopened", { via: "recipe" }, /^Recipe repeated a question that could not be answered$/],
  ["request.expired", { reason: "question_lifetime" }, /: the server gives up on questions after a while$/],
  ["view.shared", { name: "Over 10,000" }, "Ben shared the view “Over 10,000”"],
  [
    "server.health_changed",
    { name: "ERP", from: "ok", to: "unreachable" },
    "The server “ERP” can’t be reached",
  ],
  ["member.added", { name: "Cleo", role: "approver" }, "Ben added Cleo as approver"],
  [
    "member.role_changed",
    { name: "Cleo", from: "viewer", to: "operator" },
    "Ben changed the role of Cleo from viewer to operator",
  ],
  [
    "member.role_changed",
    { from: "viewer", to: "operator" },
    "Ben changed the role of a member from viewer to operator",
  ],
  ["member.removed", { name: "Cleo", role: "approver" }, "Ben removed Cleo, approver"],
  ["member.suspended", { name: "Cleo", role: "approver" }, "Ben suspended Cleo, approver"],
  ["member.reinstated", { name: "Cleo", role: "approver" }, "Ben reinstated Cleo as approver"],
  ["member.removed", { role: "approver" }, "Ben removed a member, approver"],
  [
    "directory.group_mapped",
    { name: "Finance", to: "approver" },
    "Ben gave the group “Finance” the role approver",
  ],
  ["directory.group_mapped", { name: "Finance", to: null }, "Ben removed the role of the group “Finance”"],
  [
    "directory.group_changed",
    { name: "Finance", added: 2, removed: 1 },
    "Ben changed the group “Finance”: 2 people added, 1 person removed",
  ],
  ["directory.group_changed", { name: "Finance", added: 0, removed: 0 }, "Ben changed the group “Finance”"],
  ["member.view_ended", { name: "Cleo" }, "Ben stopped viewing as Cleo"],
  ["key.renamed", { from: "Build", name: "CI" }, "Ben renamed the API key “Build” to “CI”"],
  ["key.renamed", { name: "CI" }, "Ben renamed an API key to “CI”"],
  ["key.revoked", { name: "CI" }, "Ben revoked the API key “CI”"],
  ["key.revoked", {}, "Ben revoked an API key"],
  [
    "bulk.stopped",
    { action: "restart", skipped: 3 },
    "Ben stopped a bulk operation: 3 tasks not started again",
  ],
  ["organization.undo_window_changed", { holdMs: 10_000 }, "Ben set the time for undo to 10 s"],
  ["organization.undo_window_changed", { holdMs: 0 }, "Ben turned undo off"],
  [
    "organization.retention_changed",
    { messageDays: 30, payloadDays: null, taskDays: 1 },
    "Ben set what is kept: protocol messages for 30 days, details of the history forever, finished tasks for 1 day",
  ],
])("%s with %o is told in words", (type, data, words) => {
  expect(describeEvent({ type, actor, data }).text).toMatch(words);
});

test("a line whose details were deleted makes none up", () => {
  const line = { type: "organization.four_eyes_changed", actor, data: {}, detailsDeleted: true as const };
  expect(describeEvent(line).text).toBe("Organization four eyes changed by Ben; details were deleted");
});

test.each([
  ["task_failed", "Reported failed by server"],
  ["connection_lost", "Connection lost"],
  ["constructor", "Constructor"],
])("the code %s of a failure becomes words", (code, words) => {
  expect(failureWords(code)).toBe(words);
});

test("a difference names what went and what came", () => {
  expect(diffWords("pay $400 now", "pay $410 now")).toEqual([
    { kind: "same", text: "pay " },
    { kind: "gone", text: "$400" },
    { kind: "new", text: "$410" },
    { kind: "same", text: " now" },
  ]);
});

test("a difference of lines has each line whole", () => {
  const parts = (before: string, after: string) =>
    diffLines(before, after).map(({ kind, text }) => `${{ same: " ", gone: "-", new: "+" }[kind]}${text}`);
  expect(parts("a\nb\nc\n", "a\nB\nc\nd\n")).toEqual([" a", "-b", "+B", " c", "+d"]);
  expect(parts("", "a\n\nb")).toEqual(["+a", "+", "+b"]);
  expect(parts("a", "")).toEqual(["-a"]);
  expect(parts("same", "same")).toEqual([" same"]);
});

test.each<[string, string, string[]]>([
  ["a\n", "a", ["-a", "+a · no line end: the file’s next line goes on in this one"]],
  ["# ", "# \n", ["-#  · no line end: the file’s next line goes on in this one", "+# "]],
  ["a\nb\n", "x", ["-a", "-b", "+x · no line end: the file’s next line goes on in this one"]],
  ["a", "b", ["-a", "+b"]],
  ["a\n", "", ["-a"]],
  ["a\n", "a  \n", ["-a · no tabs, and no blanks around", "+a   · 2 blanks after"]],
  ["\ta\n", "        a\n", ["-\ta · 1 tab before", "+        a · 8 blanks before"]],
  ["  \ta\t\n", "\ta\n", ["-  \ta\t · 2 blanks and 1 tab before, 1 tab after", "+\ta · 1 tab before"]],
  ["a\tb\n", "a       b\n", ["-a\tb · 1 tab inside", "+a       b · no tabs, and no blanks around"]],
  ["  a\n", "    a\n", ["-  a", "+    a"]],
  ["a\n", "b  \n", ["-a", "+b  "]],
])("of %j and %j, lines that are drawn alike say how they differ", (before, after, expected) => {
  const said = diffLines(before, after).map(
    ({ kind, text, note }) => `${{ same: " ", gone: "-", new: "+" }[kind]}${text}${note ? ` · ${note}` : ""}`,
  );
  expect(said).toEqual(expected);
});

test("thousands of lines that are all drawn alike are compared in a moment", async () => {
  const lines = (bits: number) =>
    Array.from({ length: 2 ** bits }, (_, n) =>
      n.toString(2).padStart(bits, "0").replaceAll("0", " ").replaceAll("1", "\t"),
    );
  const [before, after] = [14, 15].map((bits) => lines(bits).join("\n")) as [string, string];
  // In a browser, and half a second: each line beside each other one took ten.
  expect(await busiestTurn(async () => diffLines(before, after).length)).toBeLessThan(8 * MOST_HELD_MS);
});

test.each([
  ["a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"],
  ["a\r\nb", "", ""],
  ["a\nb", "a\nc", "a\nc"],
  ["a\r\nb\n", "a\nc\n", "a\r\nc\n"],
  ["a\r\nb\nc\r\n", "a\nb\nc\nd\n", "a\r\nb\nc\r\nd\r\n"],
  ["a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\nc\r\n"],
  ["a\nb\r\n", "x\na\nb\n", "x\na\nb\r\n"],
  ["a\r\nb\nc\r\n", "c\n", "c\r\n"],
  ["a\r\n\r\nb\n", "a\n\n\nb\n", "a\r\n\r\n\r\nb\n"],
  ["a\rb\n", "a\nb\nc", "a\rb\nc"],
  ["a\r\nb\n", "", ""],
  ["a", "a\nb", "a\nb"],
])("over %j, %j is written as %j", (before, written, expected) => {
  expect(writtenOver(before, written)).toBe(expected);
});

test("a result is read part by part; structured content is not repeated as text", () => {
  const read = readResult({
    content: [{ type: "text", text: '{"a":1}' }, { odd: 1 }],
    structuredContent: { a: 1 },
  });
  expect(read?.parts).toEqual([{ type: "other", value: { odd: 1 } }]);
  // 2026-07-28 allows any JSON there.
  expect(readResult({ structuredContent: [{ a: 1 }, { a: 2 }] })?.structured).toEqual([{ a: 1 }, { a: 2 }]);
  expect(readResult({ content: [], structuredContent: null })?.structured).toBeUndefined();
  expect(readResult("text")).toBeNull();
  expect(parseJsonText("{broken")).toBeNull();
});

test("a sample's due dates that have passed are yesterday's, later ones stay", () => {
  const lines = ["2024-06-30T00:00:00Z", "2027-02-28T00:00:00Z"].map((due_date) => ({ due_date, amount: 1 }));
  expect(withRecentDueDates({ id: "INV-1", lines }, Date.parse("2026-11-23T12:00:00Z"))).toEqual({
    id: "INV-1",
    lines: [
      { due_date: "2026-11-22T00:00:00Z", amount: 1 },
      { due_date: "2027-02-28T00:00:00Z", amount: 1 },
    ],
  });
});

test("a row of a list has so many characters of others' texts and no more, whatever holds them", () => {
  expect(shortTexts({ a: "abc", b: ["defgh", { c: "ijk" }], n: 7 }, 6)).toEqual({
    a: "abc",
    b: ["de…", { c: "…" }],
    n: 7,
  });
  expect(shortTexts("a\u{1F600}", 2)).toBe("a…");
  expect(shortTexts({ a: "whole" }, 5)).toEqual({ a: "whole" });
});
