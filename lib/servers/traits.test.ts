import { expect, test } from "vitest";
import { learnSurvival, learnWithdrawal } from "./traits.ts";

test.each([
  ["the official packages' minute is believed at once", {}, 61_400, 60_000],
  ["an early end alone proves nothing", {}, 4_000, undefined],
  ["another limit is believed when it was seen twice", { withdrawnAtMs: [301_000] }, 299_000, 299_000],
  ["two ends that differ prove nothing", { withdrawnAtMs: [9_000] }, 42_000, undefined],
  ["one beside others that differ counts", { withdrawnAtMs: [9_000, 40_000] }, 42_000, 42_000],
])("%s", (_name, known, ageMs, lifetime) => {
  expect(learnWithdrawal(known, ageMs).questionLifetimeMs).toBe(lifetime);
});

test("the last five ages are kept", () => {
  expect(learnWithdrawal({ withdrawnAtMs: [5, 4, 3, 2, 1] }, 6).withdrawnAtMs).toEqual([6, 5, 4, 3, 2]);
});

test("a question that outlives the lifetime disproves it", () => {
  expect(learnSurvival({ questionLifetimeMs: 60_000 }, 65_000)).toBeNull();
  expect(learnSurvival({}, 999_000)).toBeNull();
  expect(learnSurvival({ questionLifetimeMs: 60_000 }, 90_000)).toEqual({ withdrawnAtMs: [] });
});
