import { expect, test } from "vitest";
import { AnswerTimes, differsNotably, latenessOf } from "./server-latency.ts";

test.for([
  { name: "too few answers to tell", answerMs: null, wantedMs: 5_000, leastPauseMs: 0, everyMs: null },
  { name: "quick, whatever waits", answerMs: 900, wantedMs: 1_000, leastPauseMs: 60_000, everyMs: null },
  {
    name: "slow, and tasks wait longer anyway",
    answerMs: 2_000,
    wantedMs: 30_000,
    leastPauseMs: 0,
    everyMs: null,
  },
  { name: "slow", answerMs: 9_000, wantedMs: 5_000, leastPauseMs: 800, everyMs: 14_000 },
  { name: "slow, with many tasks", answerMs: 9_000, wantedMs: 5_000, leastPauseMs: 31_000, everyMs: 40_000 },
])("$name", ({ answerMs, wantedMs, leastPauseMs, everyMs }) => {
  const late = latenessOf(answerMs, wantedMs, leastPauseMs);
  expect(late?.everyMs ?? null).toBe(everyMs);
  if (late) expect(late).toEqual({ everyMs, insteadOfMs: wantedMs, answerMs });
});

test("one slow answer says nothing of a server; neither does one that is quick for long", () => {
  const times = new AnswerTimes();
  for (const ms of [9_000, 9_000, 20, 9_000]) times.note(ms);
  expect([times.quickestMs, times.isSlow]).toEqual([20, false]);
  for (const ms of [9_000, 8_000, 9_000]) times.note(ms);
  expect([times.quickestMs, times.isSlow]).toEqual([8_000, true]);
});

test("what changes little is not told again", () => {
  const late = { everyMs: 14_000, insteadOfMs: 5_000, answerMs: 9_000 };
  expect(differsNotably(null, null)).toBe(false);
  expect(differsNotably(null, late)).toBe(true);
  expect(differsNotably(late, null)).toBe(true);
  expect(differsNotably(late, { ...late, everyMs: 18_000 })).toBe(false);
  expect(differsNotably(late, { ...late, everyMs: 22_000 })).toBe(true);
  expect(differsNotably(late, { ...late, insteadOfMs: 3_000 })).toBe(true);
});
