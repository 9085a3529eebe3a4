import { expect, test } from "vitest";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { backoffDelay, firstLookIn, pollDelay } from "./poll-schedule.ts";

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
    name: "every 5 min when it is cancelled and its server goes on",
    pollIntervalMs: 2_000,
    unchangedPolls: 500,
    ageMs: 1,
    state: "cancelled" as const,
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
  expect(pollDelay({ state: "working", ...task })).toBe(delay);
});

test("backs off with jitter, up to five minutes", () => {
  expect(backoffDelay(1, () => 1)).toBe(500);
  expect(backoffDelay(4, () => 1)).toBe(4_000);
  expect(backoffDelay(100, () => 1)).toBe(300_000);
  expect(backoffDelay(4, () => 0)).toBe(400);
});

const running = { state: "working", cancelRequested: false, requests: [], ageMs: 0, unchangedPolls: 0 };
const work = (more: object) => ({ ...running, pollIntervalMs: 60_000, ...more }) as unknown as TaskWork;

test.each([
  { name: "one whose answer waits", more: { requests: [{ state: "answered" }] } },
  { name: "one that is to be cancelled", more: { cancelRequested: true } },
  { name: "one that waits for its start", more: { state: "queued" } },
  { name: "one that has ended", more: { state: "completed" } },
])("a takeover looks at once at $name, however many there are", ({ more }) => {
  for (const before of [0, 1, 7, 40_000]) expect(firstLookIn(work(more), before)).toBe(0);
});

test("tasks that only run are first looked at within five seconds, or their interval, evenly apart", () => {
  const looks = Array.from({ length: 10 }, (_, before) => firstLookIn(work({}), before)).sort(
    (a, b) => a - b,
  );
  expect(looks[0]).toBe(0);
  expect(looks.at(-1)).toBeLessThan(5_000);
  const gaps = looks.slice(1).map((look, at) => look - looks[at]!);
  expect(Math.min(...gaps)).toBeGreaterThan(200);
  for (const before of [3, 999, 40_000])
    expect(firstLookIn(work({ pollIntervalMs: 1_000 }), before)).toBeLessThan(1_000);
});
