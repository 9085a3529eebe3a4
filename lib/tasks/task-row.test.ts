import { expect, test } from "vitest";
import { checkTimes } from "./task-row.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, 0) + seconds * 1_000);

test.each([
  { name: "as it was written, until the next one is due", until: 4, last: 0, next: 5 },
  { name: "one more, once it was due", until: 5, last: 5, next: 10 },
  { name: "as many as fit in, at the same pace", until: 63, last: 60, next: 65 },
])("a poll written at 0 that is due again at 5: $name", ({ until, last, next }) => {
  const times = checkTimes({ lastCheckedAt: at(0), nextCheckAt: at(5) }, at(until));
  expect(times).toEqual({ lastCheckedAt: at(last), nextCheckAt: at(next) });
});

test("a task that nobody is known to watch was checked when it was written, and not since", () => {
  const written = { lastCheckedAt: at(0), nextCheckAt: at(5) };
  expect(checkTimes(written, null)).toEqual(written);
});

test("a task that was never checked has no times", () => {
  const written = { lastCheckedAt: null, nextCheckAt: null };
  expect(checkTimes(written, at(60))).toEqual(written);
});
