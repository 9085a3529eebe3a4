import { expect, test } from "vitest";
import type { TaskPhase } from "../task-schema.ts";
import { drawn, type Phase, stretchesOf, stretchWords, totals } from "./phases.ts";

const START = Date.parse("2026-03-01T12:00:00.000Z");

/** Phases one after the other, so many seconds each; the last one goes on. */
function phases(...list: [Phase, number][]): { phases: TaskPhase[]; now: number } {
  let time = START;
  const made = list.map(([phase, seconds], index) => {
    const from = new Date(time).toISOString();
    time += seconds * 1_000;
    return { phase, from, to: index === list.length - 1 ? null : new Date(time).toISOString() };
  });
  return { phases: made, now: time };
}

test("the last stretch grows with the clock, and the widths fill the strip", () => {
  const { phases: list, now } = phases(["working", 18], ["waiting", 97_200], ["working", 100]);
  const stretches = stretchesOf(list, now);
  expect(stretches.map(stretchWords)).toEqual([
    "working 18 s",
    "waiting for a person 1 d 3 h",
    "working 1 min",
  ]);
  expect(stretchesOf(list, now + 60_000).at(-1)).toMatchObject({ ms: 160_000, live: true });
  const shares = drawn(stretches).map(({ share }) => share);
  expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.06);
  expect(totals(stretches)).toEqual([
    { phase: "working", ms: 118_000 },
    { phase: "waiting", ms: 97_200_000 },
  ]);
});

test("of a thousand stretches the longest are drawn, and no time is lost", () => {
  const many = Array.from({ length: 999 }, (_, n): [Phase, number] => [
    n % 2 ? "waiting" : "working",
    n % 100 ? 1 : 500,
  ]);
  const { phases: list, now } = phases(...many);
  const strip = drawn(stretchesOf(list, now));
  expect(strip.length).toBeLessThanOrEqual(24);
  expect(strip.reduce((sum, { ms }) => sum + ms, 0)).toBe(now - START);
  expect([strip[0]?.phase, strip.at(-1)?.live]).toEqual(["working", true]);
});

test("a clock that is behind shows nothing below zero", () => {
  const { phases: list } = phases(["queued", 1]);
  expect(stretchesOf(list, START - 5_000)).toMatchObject([{ ms: 0 }]);
  expect(drawn(stretchesOf(list, START - 5_000))).toMatchObject([{ share: 1 }]);
});
