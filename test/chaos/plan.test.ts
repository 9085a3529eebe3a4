import { expect, test } from "vitest";
import { decide, mannerOf, planInvoice } from "./invoices.ts";
import { planDisruptions, planFault } from "./plan.ts";

const parts = {
  engine: ["engine-1", "engine-2"],
  web: ["web"],
  sample: ["sample-1", "sample-2"],
  postgres: ["postgres", "sample-postgres"],
};

test("the same seed plans the same, and another one does not", () => {
  const plan = (seed: number) => [
    planDisruptions(seed, 120_000, parts),
    Array.from({ length: 50 }, (_, nth) => planFault(seed, "sample-1", "tasks/update", nth, "change")),
    Array.from({ length: 20 }, (_, at) => [
      planInvoice(seed, at, 20, 60_000).startAtMs,
      decide(seed, at, "approval", 0),
      mannerOf(seed, at, "cost center"),
    ]),
  ];
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
});

test("20 minutes have at least 200 kills, of every part, and freezes of engines that end in time", () => {
  const disruptions = planDisruptions(1, 20 * 60_000, parts);
  const kills = disruptions.filter((disruption) => disruption.kind === "kill");
  const freezes = disruptions.filter((disruption) => disruption.kind === "freeze");
  expect(kills.length).toBeGreaterThanOrEqual(200);
  expect(new Set(kills.map((disruption) => disruption.parts[0])).size).toBe(7);
  expect(freezes.length).toBeGreaterThan(5);
  for (const {
    parts: [first],
    atMs,
    downMs,
  } of freezes) {
    expect(first).toMatch(/^engine/);
    expect(atMs + downMs).toBeLessThan(20 * 60_000);
  }
});

test("the database is away for up to a minute and a half, in short runs too, and back before the end", () => {
  for (const [minutes, atLeast] of [
    [20, 3],
    [2, 1],
  ] as const) {
    const outages = planDisruptions(1, minutes * 60_000, parts).filter(({ kind }) => kind === "outage");
    expect(outages.length).toBeGreaterThanOrEqual(atLeast);
    for (const { parts, atMs, downMs } of outages) {
      expect(parts).toEqual(["postgres"]);
      expect(downMs).toBeLessThanOrEqual(90_000);
      expect(atMs + downMs).toBeLessThan(minutes * 60_000);
    }
  }
});

test("every kind of fault is planned for changes", () => {
  const kinds = Array.from(
    { length: 500 },
    (_, nth) => planFault(1, "s", "answer", nth, "change").fault?.kind,
  );
  expect(new Set(kinds)).toEqual(
    new Set([
      undefined,
      "dropped before",
      "dropped after",
      "cut",
      "misrouted",
      "stalled",
      "duplicated",
      "reordered",
      "refused",
    ]),
  );
});

test("a decision that is made again is another one", () => {
  for (let at = 0; at < 50; at++)
    for (const question of ["approval", "cost center"] as const)
      expect(decide(3, at, question, 0)).not.toEqual(decide(3, at, question, 1));
});
