import { describe, expect, test } from "vitest";
import { stateMachine } from "../base/state-machine.ts";
import {
  hasEnded,
  isStalled,
  labelOf,
  outcomeOf,
  STALLED_AFTER_MS,
  TASK_MOVES,
  TASK_STATES,
} from "./task-status.ts";

const moves = stateMachine(TASK_MOVES);

describe("the task's state machine", () => {
  const allowed = new Set([
    "queued>starting",
    "queued>failed",
    "queued>cancelled",
    "starting>queued",
    "starting>working",
    "starting>input_required",
    "starting>completed",
    "starting>failed",
    "starting>cancelled",
    "starting>start_unknown",
    "start_unknown>working",
    "start_unknown>input_required",
    "start_unknown>failed",
    "working>starting",
    ...["input_required", "completed", "failed", "cancelled", "lost", "expired"].map((to) => `working>${to}`),
    ...["working", "starting", "completed", "failed", "cancelled", "lost", "expired"].map(
      (to) => `input_required>${to}`,
    ),
  ]);
  const pairs = TASK_STATES.flatMap((from) => TASK_STATES.map((to) => ({ from, to })));

  test.each(pairs)("$from to $to", ({ from, to }) => {
    expect(moves.before(to).includes(from)).toBe(allowed.has(`${from}>${to}`));
  });

  test("nothing leaves a terminal state", () => {
    expect(TASK_STATES.filter(hasEnded)).toEqual(["completed", "failed", "cancelled", "lost", "expired"]);
  });
});

describe("stalled", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const ago = (ms: number) => new Date(now.getTime() - ms);
  test.each([
    { name: "working and changed lately", state: "working", changedAt: ago(60_000), stalled: false },
    {
      name: "working without a change for hours",
      state: "working",
      changedAt: ago(STALLED_AFTER_MS + 1),
      stalled: true,
    },
    {
      name: "working for hours, with a question open",
      state: "working",
      changedAt: ago(STALLED_AFTER_MS + 1),
      asks: true,
      stalled: false,
    },
    {
      name: "waiting for a person for days",
      state: "input_required",
      changedAt: ago(4 * 86_400_000),
      stalled: false,
    },
    { name: "queued for minutes", state: "queued", changedAt: ago(120_000), stalled: true },
    {
      name: "queued for minutes, with its time to come",
      state: "queued",
      changedAt: ago(120_000),
      startAfter: ago(-60_000),
      stalled: false,
    },
    { name: "ended long ago", state: "completed", changedAt: ago(9 * 86_400_000), stalled: false },
  ] as const)("$name: $stalled", ({ stalled, ...task }) => {
    expect(isStalled({ startAfter: null, asks: false, gate: null, ...task }, now)).toBe(stalled);
  });
});

test.each([
  { args: { invoice: { invoice_id: "INV-100", customer: "ACME" } }, label: "INV-100" },
  { args: { filename: "exports.parquet" }, label: "exports.parquet" },
  { args: { buildId: 4812 }, label: "4812" },
  { args: { topic: " python " }, label: "python" },
  { args: { note: "x".repeat(100), id: "y".repeat(61) }, label: null },
  { args: {}, label: null },
])("the label of $args is $label", ({ args, label }) => {
  expect(labelOf(args)).toBe(label);
});

test.each([
  {
    name: "a short last part after a colon",
    result: { content: [{ type: "text", text: "Invoice processing result: REJECTED" }], isError: false },
    expected: { outcome: "REJECTED", isError: false },
  },
  {
    name: "a status in structured content",
    result: { content: [], structuredContent: { status: "PAID" } },
    expected: { outcome: "PAID", isError: false },
  },
  {
    name: "the first line of a text, cut",
    result: { content: [{ type: "text", text: `${"a".repeat(300)}\nmore` }], isError: true },
    expected: { outcome: `${"a".repeat(199)}…`, isError: true },
  },
  {
    name: "the count of what is no text",
    result: { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] },
    expected: { outcome: "1 image", isError: false },
  },
  {
    name: "each kind of what is no text",
    result: { content: [{ type: "image" }, { type: "image" }, { type: "audio" }], isError: true },
    expected: { outcome: "2 images, 1 recording", isError: true },
  },
  {
    name: "the name of a link",
    result: { content: [{ type: "resource_link", uri: "https://erp.example/r/7", name: "Report 7" }] },
    expected: { outcome: "Report 7", isError: false },
  },
  {
    name: "the address of what has no name, and how many there are",
    result: {
      content: [
        { type: "resource", resource: { uri: "file:///a.txt", text: "a" } },
        { type: "resource_link", uri: "file:///b.txt" },
      ],
    },
    expected: { outcome: "file:///a.txt, 1 more", isError: false },
  },
  {
    name: "nothing to read",
    result: { content: [{ type: "odd" }, "text", null] },
    expected: { outcome: null, isError: false },
  },
  { name: "no result at all", result: null, expected: { outcome: null, isError: false } },
])("the outcome is $name", ({ result, expected }) => {
  expect(outcomeOf(result)).toEqual(expected);
});
