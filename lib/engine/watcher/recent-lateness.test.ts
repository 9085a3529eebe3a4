import { expect, test } from "vitest";
import { RecentLateness } from "./scheduler.ts";

test("tells how late the slowest of a hundred steps began in the last minute, and forgets", () => {
  const recent = new RecentLateness();
  expect(recent.p99(0)).toBeNull();
  for (let step = 0; step < 95; step++) recent.note(2, step * 300);
  for (let step = 0; step < 5; step++) recent.note(400, 40_000);
  expect(recent.p99(41_000)).toBeGreaterThan(250);
  expect(recent.p99(41_000)).toBeLessThan(600);
  for (let step = 0; step < 200; step++) recent.note(1, 100_000 + step * 300);
  expect(recent.p99(160_000)).toBeLessThan(3);
  expect(recent.p99(1_000_000)).toBeNull();
});
