import { describe, expect, test } from "vitest";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import {
  endsSoon,
  instantOf,
  matterOf,
  readColumns,
  sameColumns,
  settled,
  stateBadges,
  type TaskRow,
} from "./row-facts.ts";

const TASK = {
  state: "working",
  attention: null,
  durable: true,
  progress: null,
  outcome: null,
  error: null,
  statusMessage: null,
  cancelRequestedAt: null,
  serverState: null,
} as unknown as TaskSummary;

describe("the badges of a state", () => {
  test.each([
    ["usually its state", {}, { state: true, notDurable: false }],
    ["a reason beside it", { attention: { code: "server_unreachable" } }, { state: true, notDurable: false }],
    [
      "an unknown start in its place",
      { attention: { code: "start_unknown" } },
      { state: false, notDurable: false },
    ],
    ["a standstill in its place", { attention: { code: "stalled" } }, { state: false, notDurable: false }],
    ["a lost task in its place", { attention: { code: "lost" } }, { state: false, notDurable: false }],
    ["that it would not outlive its server", { durable: false }, { state: true, notDurable: true }],
    [
      "not so of one that has ended",
      { durable: false, state: "completed" },
      { state: true, notDurable: false },
    ],
  ])("%s", (_, more, expected) => {
    expect(stateBadges({ ...TASK, ...more } as TaskSummary)).toEqual(expected);
  });
});

describe("the line of a task", () => {
  const progress = { progress: 2, total: 4, message: "Reading" };
  const error = { message: "Card declined" };
  const text = (text: string | null, server: string | null = null) => ({ text, server });
  test.each([
    ["nothing yet", {}, text(null)],
    ["its progress", { progress, statusMessage: "Busy" }, { progress }],
    [
      "no progress while it waits for a person",
      { progress, state: "input_required", statusMessage: "Asks" },
      text("Asks"),
    ],
    ["no progress once it has ended", { progress, state: "completed", outcome: "PAID" }, text("PAID")],
    ["the outcome before the error", { state: "failed", outcome: "REJECTED", error }, text("REJECTED")],
    ["the error before the status", { state: "failed", error, statusMessage: "Busy" }, text("Card declined")],
    ["the status", { statusMessage: "Busy" }, text("Busy")],
    [
      "what the server says of a task being cancelled",
      { cancelRequestedAt: "x", serverState: "working", statusMessage: "Busy" },
      text("Busy", "Working"),
    ],
    [
      "a state that only the server knows",
      { cancelRequestedAt: "x", serverState: "halting" },
      text(null, "halting"),
    ],
    ["not the server's state of any other", { serverState: "working" }, text(null)],
  ])("%s", (_, more, expected) => {
    expect(matterOf({ ...TASK, ...more } as TaskSummary)).toEqual(expected);
  });
});

describe("an instant of a task", () => {
  test.each([
    ["is shown while it moves", "working", "2026-11-21T12:00:00Z", { at: "2026-11-21T12:00:00Z" }],
    ["that is not known is a dash", "working", null, "—"],
    ["of an ended task is not shown", "completed", "2026-11-21T12:00:00Z", null],
  ] as const)("%s", (_, state, at, expected) => {
    expect(instantOf(state, at)).toEqual(expected);
  });

  test.each([
    ["in 59 minutes", "12:59:59", true],
    ["in an hour", "13:00:00", false],
    ["that is over", "11:00:00", true],
  ])("%s is soon: %s (%s)", (_, time, expected) => {
    expect(endsSoon(`2026-11-21T${time}Z`, Date.parse("2026-11-21T12:00:00Z"))).toBe(expected);
  });
});

describe("the chosen columns", () => {
  const known = ["tool", "server", "era"];
  test.each([
    ["nobody's choice", null, ["tool", "server"]],
    ["a choice", "era,tool", ["era", "tool"]],
    ["a column that is no more", "era,gone", ["era"]],
    ["none", "", []],
  ])("%s", (_, kept, expected) => {
    expect(readColumns(kept, known, ["tool", "server"])).toEqual(expected);
  });

  test("are the usual ones in any order", () => {
    expect(sameColumns(["server", "tool"], ["tool", "server"])).toBe(true);
    expect(sameColumns(["tool"], ["tool", "server"])).toBe(false);
  });
});

describe("rows that change", () => {
  const row = (id: string): TaskRow => ({ task: { id } as TaskSummary, gone: false });
  const before = [row("b"), row("c")];
  test.each([
    ["stay in place; a new task waits to be asked for", ["a", "b", "c"], false, "b c"],
    ["are followed by those of the next page", ["b", "c", "d"], false, "b c d"],
    ["keep their order when the list has another", ["c", "b"], false, "b c"],
    ["go when they left the list", ["c"], false, "c"],
    ["stay under the pointer when they left the list", ["c"], true, "(b) c"],
    ["are new ones where none of the old is left", ["x", "y"], false, "x y"],
    ["stay under the pointer where none is left", [], true, "(b) (c)"],
  ])("%s", (_, fresh, held, expected) => {
    const rows = settled(
      before,
      fresh.map((id) => ({ id }) as TaskSummary),
      held,
    );
    expect(rows.map(({ task, gone }) => (gone ? `(${task.id})` : task.id)).join(" ")).toBe(expected);
  });
});
