import { describe, expect, test } from "vitest";
import {
  boundsOf,
  bucketOf,
  failuresByClass,
  LATENCY_BUCKETS,
  percentile,
  summaryOf,
} from "./call-statistics-schema.ts";

const counting = (latencies: number[]) => {
  const buckets = new Array<number>(LATENCY_BUCKETS).fill(0);
  for (const ms of latencies) buckets[bucketOf(ms)]!++;
  return buckets;
};

describe("a latency is counted in the bucket whose bounds hold it:", () => {
  test.each([0, 0.4, 1, 1.2, 2, 2.9, 10, 64, 1_000, 32_768])("%d ms", (ms) => {
    const [from, to] = boundsOf(bucketOf(ms));
    expect(to).toBeGreaterThanOrEqual(Math.min(ms, to));
    expect(ms <= to && (ms > from || bucketOf(ms) === 0)).toBe(true);
  });
  test("what is longer than all of them in the last", () => {
    expect(bucketOf(10_000_000)).toBe(LATENCY_BUCKETS - 1);
  });
});

describe("a percentile", () => {
  test("of no calls is none", () => expect(percentile(counting([]), 0.5)).toBeNull());
  test("of one call is within its bucket, at every share", () => {
    const latency = counting([100]);
    const [from, to] = boundsOf(bucketOf(100));
    for (const share of [0, 0.5, 0.99, 1]) {
      expect(percentile(latency, share)).toBeGreaterThanOrEqual(Math.floor(from));
      expect(percentile(latency, share)).toBeLessThanOrEqual(Math.ceil(to));
    }
  });
  test("is off by no more than a bucket's width, whatever the latencies", () => {
    const latencies = Array.from({ length: 5_000 }, (_, at) => 2 + at ** 1.1 / 3).sort((a, b) => a - b);
    const latency = counting(latencies);
    for (const share of [0.5, 0.9, 0.99]) {
      const exact = latencies[Math.ceil(share * latencies.length) - 1]!;
      expect(percentile(latency, share)! / exact).toBeGreaterThan(1 / Math.SQRT2);
      expect(percentile(latency, share)! / exact).toBeLessThan(Math.SQRT2);
    }
  });
  test("does not fall as the share rises", () => {
    const latency = counting([3, 5, 5, 40, 41, 900, 4_000]);
    const values = [0.1, 0.5, 0.9, 0.99, 1].map((share) => percentile(latency, share)!);
    expect(values).toEqual([...values].sort((a, b) => a - b));
  });
});

test("a summary counts failures of all classes, those too that a later version adds", () => {
  const summary = summaryOf({
    calls: 10,
    failures: [1, 0, 2, 0, 0, 1],
    latency: counting([8, 8, 8, 8, 8, 8]),
  });
  expect(summary).toMatchObject({ calls: 10, failed: 4, successRate: 0.6 });
  expect(failuresByClass([1, 0, 2])).toEqual({
    unreachable: 1,
    timeout: 0,
    unauthorized: 2,
    rate_limited: 0,
    bad_reply: 0,
  });
  expect(summaryOf({ calls: 0, failures: [], latency: [] })).toMatchObject({
    successRate: null,
    p99Ms: null,
  });
});
