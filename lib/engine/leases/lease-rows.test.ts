import { expect, test } from "vitest";
import { CAPACITY, MOVED_A_TURN } from "../tunables.ts";
import { roomFor, surplusOf } from "./lease-rows.ts";

const census = { leases: 0, waiting: 0, overdue: 0, engines: 1 };

test("an engine alone takes all that waits, up to its capacity", () => {
  expect(roomFor(0, { ...census, leases: 300, waiting: 300 })).toBe(300);
  expect(roomFor(CAPACITY - 1, { ...census, leases: CAPACITY + 300, waiting: 301 })).toBe(1);
});

test("of two engines each takes half, the odd one goes to either", () => {
  const two = { ...census, leases: 7, waiting: 7, engines: 2 };
  expect(roomFor(0, two)).toBe(4);
  expect(roomFor(4, { ...two, waiting: 3 })).toBe(0);
  expect(roomFor(3, { ...two, waiting: 3 })).toBe(1);
});

test("what the others leave lying is taken beyond the share", () => {
  expect(roomFor(10, { leases: 20, waiting: 10, overdue: 6, engines: 2 })).toBe(6);
});

test("who has more than the share gives a few back at a time, and none while some wait", () => {
  const two = { ...census, leases: 200, engines: 2 };
  expect(surplusOf(200, two)).toBe(MOVED_A_TURN);
  expect(surplusOf(200, { ...two, waiting: 1 })).toBe(0);
  expect(surplusOf(110, two)).toBe(10);
});

test("a twentieth too many is let be", () => {
  expect(surplusOf(105, { ...census, leases: 200, engines: 2 })).toBe(0);
  expect(surplusOf(2, { ...census, leases: 2, engines: 2 })).toBe(1);
});

test("leases that were taken after the count are no surplus", () => {
  expect(surplusOf(1, census)).toBe(0);
  expect(surplusOf(1, { ...census, engines: 2 })).toBe(0);
  expect(surplusOf(300, { ...census, leases: 200 })).toBe(0);
});
