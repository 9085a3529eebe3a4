import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { MOST_STEPS_AT_ONCE, STEPS_AT_ONCE } from "../tunables.ts";
import { type LaneName, type Scheduled, Scheduler } from "./scheduler.ts";

/**
 * Schedules `count` items with steps of `stepMs` each. An item is due again as soon as its step ends, unless
 * `isAgain` is false.
 */
function busy(count: number, stepMs: number, isAgain = true) {
  let underWay = 0;
  const seen = { taken: 0, most: 0, lanes: [] as LaneName[] };
  const lanes = new Scheduler<Scheduled>((item) => take(item));
  const take = async (item: Scheduled) => {
    seen.taken++;
    seen.lanes.push(item.lane);
    seen.most = Math.max(seen.most, ++underWay);
    await pause(stepMs);
    underWay--;
    if (isAgain) lanes.schedule(item, "regular", performance.now());
  };
  const items = Array.from({ length: count }, (): Scheduled => ({ due: 0, heapIndex: -1, lane: "regular" }));
  for (const item of items) lanes.schedule(item, "regular", performance.now());
  return { lanes, items, seen };
}

test("where more is due than a few steps at once get done, more are under way, up to a limit", async () => {
  const { lanes, seen } = busy(1_000, 20);
  await until("many are under way", async () => seen.most === MOST_STEPS_AT_ONCE);
  await lanes.stop();
  expect(seen.most).toBe(MOST_STEPS_AT_ONCE);
});

test("at a server that takes its time no more than a few are, and it is said how rarely it can be asked", async () => {
  const { lanes, seen } = busy(1_000, 1_500);
  expect(lanes.leastPauseMs(1_000)).toBe(0);
  await until("each place was taken twice", async () => seen.taken > 2 * STEPS_AT_ONCE);
  expect(seen.most).toBe(STEPS_AT_ONCE);
  expect(lanes.leastPauseMs(1_000)).toBeGreaterThanOrEqual((1_000 / STEPS_AT_ONCE) * 1_400);
  await lanes.stop();
});

test("an item is in one lane: moved to another it is taken there, once, past those that fill the first", async () => {
  const { lanes, items, seen } = busy(100, 1_500);
  lanes.schedule(items[99]!, "urgent", performance.now());
  await until("the first have begun", async () => seen.taken > STEPS_AT_ONCE);
  expect(seen.lanes.filter((lane) => lane === "urgent")).toEqual(["urgent"]);
  expect(seen.taken).toBe(STEPS_AT_ONCE + 1);
  await lanes.stop();
});

test("few items that were held up together are taken few at a time, and all at once where each takes long", async () => {
  const quick = busy(10, 1, false);
  await until("each was taken", async () => quick.seen.taken === 10);
  expect(quick.seen.most).toBeLessThan(10);
  await quick.lanes.stop();
  const slow = busy(10, 1_500);
  await until("all are under way", async () => slow.seen.most === 10);
  expect(slow.seen.taken).toBe(10);
  await slow.lanes.stop();
});
