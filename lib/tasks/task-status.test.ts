import { describe, expect, test } from "vitest";
import { stateMachine } from "../base/state-machine.ts";
import { hasEnded, isStalled, labelOf, STALLED_AFTER_MS, TASK_MOVES, TASK_STATES } from "./task-status.ts";

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
