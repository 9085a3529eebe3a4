import { expect, test } from "vitest";
import { timeLeft, timeLimitReason } from "./time-left.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (ms: number) => new Date(NOW + ms).toISOString();

test.each([
  [4 * 86_400_000, { words: "4 d left", short: false, near: false, far: true, over: false }],
  [3_600_000, { words: "1 h left", short: false, near: false, far: false, over: false }],
  [3_599_000, { words: "59 min left", short: false, near: true, far: false, over: false }],
  [121_000, { words: "2 min left", short: false, near: true, far: false, over: false }],
  [119_000, { words: "1 min left", short: true, near: true, far: false, over: false }],
  [59_400, { words: "60 s left", short: true, near: true, far: false, over: false }],
  [1, { words: "1 s left", short: true, near: true, far: false, over: false }],
  [0, { words: "time is probably up", short: true, near: true, far: false, over: true }],
  [-60_000, { words: "time is probably up", short: true, near: true, far: false, over: true }],
])("%d ms are left", (ms, left) => {
  expect(timeLeft(at(ms), NOW)).toEqual(left);
});

const request = (expiresAt: string | null, questionLifetimeMs: number | null, taskExpiresAt: string | null) =>
  ({
    expiresAt,
    server: { id: "", name: "ERP", questionLifetimeMs },
    task: { expiresAt: taskExpiresAt },
  }) as Parameters<typeof timeLimitReason>[0];

test.each([
  ["no limit has no reason", request(null, 60_000, null), null],
  [
    "the server's habit",
    request(at(60_000), 60_000, null),
    "This server gives up on questions after about a minute.",
  ],
  [
    "the server's habit, before the task's end",
    request(at(60_000), 60_000, at(90_000)),
    "This server gives up on questions after about a minute.",
  ],
  [
    "the task's end, which comes first",
    request(at(60_000), 3_600_000, at(60_000)),
    "The server keeps the task until then.",
  ],
  ["the task's end alone", request(at(60_000), null, at(60_000)), "The server keeps the task until then."],
])("%s", (_, given, words) => {
  expect(timeLimitReason(given)?.words ?? null).toBe(words);
});
