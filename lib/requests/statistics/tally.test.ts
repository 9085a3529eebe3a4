import { expect, test } from "vitest";
import { type Context, countsOf } from "./tally.ts";

const OPENED = new Date("2026-11-29T12:00:00Z");
const after = (ms: number) => new Date(OPENED.getTime() + ms);
const context = (isDemo: boolean, undoneMs?: number): Context => ({
  serverId: "s",
  isDemo,
  openedAt: OPENED,
  rung: null,
  undone: undoneMs === undefined ? null : { at: after(undoneMs), openedAt: OPENED, data: null },
});
const decisions = (type: "answer.recorded" | "answer.undone", ms: number, of: Context) =>
  countsOf({ at: after(ms), type, data: {}, actor: { kind: "member" } }, of).map(({ amount }) => amount);

test.each([
  ["an answer that the demonstration has prepared", "answer.recorded", 500, context(true), []],
  ["a visitor's answer to a task of the demonstration", "answer.recorded", 20_000, context(true), [1]],
  ["a quick answer to a task of people", "answer.recorded", 500, context(false), [1]],
  ["a prepared answer that a visitor undoes", "answer.undone", 60_000, context(true, 500), []],
  ["a visitor's own answer that they undo", "answer.undone", 60_000, context(true, 20_000), [-1]],
] as const)("%s counts as it should", (_, type, ms, of, amounts) => {
  expect(decisions(type, ms, of)).toEqual(amounts);
});
