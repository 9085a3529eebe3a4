import { expect, test } from "vitest";
import { backoffDelay, pollDelay } from "./schedule.ts";

const DAY = 86_400_000;

test.each([
  { name: "at the server's pace at first", pollIntervalMs: 5_000, unchangedPolls: 0, ageMs: 0, delay: 5_000 },
  { name: "at ours where it names none", pollIntervalMs: null, unchangedPolls: 0, ageMs: 0, delay: 2_000 },
  {
    name: "never faster than four times a second",
    pollIntervalMs: 1,
    unchangedPolls: 0,
    ageMs: 0,
    delay: 250,
  },
  {
    name: "more rarely when nothing changes",
    pollIntervalMs: 2_000,
    unchangedPolls: 7,
    ageMs: 0,
    delay: 4_500,
  },
  {
    name: "at most every 30 s while young",
    pollIntervalMs: 2_000,
    unchangedPolls: 500,
    ageMs: 1,
    delay: 30_000,
  },
  {
    name: "every 5 min when older than a day",
    pollIntervalMs: 2_000,
    unchangedPolls: 500,
    ageMs: 2 * DAY,
    delay: 300_000,
  },
  {
    name: "never below the server's own interval",
    pollIntervalMs: 600_000,
    unchangedPolls: 9,
    ageMs: 0,
    delay: 600_000,
  },
])("polls $name", ({ delay, ...task }) => {
  expect(pollDelay(task)).toBe(delay);
});

test("backs off with jitter, up to five minutes", () => {
  expect(backoffDelay(1, () => 1)).toBe(500);
  expect(backoffDelay(4, () => 1)).toBe(4_000);
  expect(backoffDelay(100, () => 1)).toBe(300_000);
  expect(backoffDelay(4, () => 0)).toBe(400);
});
