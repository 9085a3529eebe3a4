import { expect, test } from "vitest";
import { classOf, percentile } from "./durations.ts";

const counted = (durations: number[]) => {
  const counts = new Map<number, number>();
  for (const ms of durations) counts.set(classOf(ms), (counts.get(classOf(ms)) ?? 0) + 1);
  return counts;
};

test("classes hold what they say, from nothing to years", () => {
  expect([0, 999, 1_000, 1_259, 1_260, 2_000].map(classOf)).toEqual([0, 0, 1, 1, 2, 4]);
  expect(classOf(Number.NaN)).toBe(0);
  expect(classOf(-5)).toBe(0);
  expect(classOf(1e15)).toBe(75);
});

test("percentiles are right to a fifth, whatever the sizes", () => {
  for (const unit of [2_000, 90_000, 3_600_000, 86_400_000]) {
    const durations = Array.from({ length: 1_000 }, (_, n) => unit * (1 + n / 100));
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      const exact = durations[Math.ceil(share * 1_000) - 1]!;
      expect(Math.abs(percentile(counted(durations), share)! / exact - 1)).toBeLessThan(0.2);
    }
  }
});

test("without anything there is no percentile, and what was taken back does not count", () => {
  expect(percentile(new Map(), 0.5)).toBeNull();
  expect(percentile(new Map([[3, 0]]), 0.5)).toBeNull();
  const [low, high] = [classOf(5_000), classOf(500_000)];
  expect(
    percentile(
      new Map([
        [low, 4],
        [high, -1],
      ]),
      0.9,
    ),
  ).toBeLessThan(7_000);
});
