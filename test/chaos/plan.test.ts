import { expect, test } from "vitest";
import { type CallPlan, planCalls } from "./agents/plan.ts";
import { decide, mannerOf, planInvoice } from "./invoices.ts";
import { MOMENTS, planDisruptions, planFault } from "./plan.ts";

const parts = {
  engine: ["engine-1", "engine-2"],
  web: ["web"],
  sample: ["sample-1", "sample-2"],
  postgres: ["postgres", "sample-postgres"],
  client: ["client"],
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

test("a minute has a kill of every kind", () => {
  for (let seed = 0; seed < 20; seed++) {
    const kills = planDisruptions(seed, 60_000, parts).filter(({ kind }) => kind === "kill");
    const hit = new Set(
      kills.map((kill) => kill.parts[0]?.replace("sample-postgres", "postgres").replace(/-\d+$/, "")),
    );
    expect(hit).toEqual(new Set(["engine", "web", "sample", "postgres", "client"]));
  }
});

test("20 minutes have at least 200 kills, of every part, and freezes of engines that end in time", () => {
  const disruptions = planDisruptions(1, 20 * 60_000, parts);
  const kills = disruptions.filter((disruption) => disruption.kind === "kill");
  const freezes = disruptions.filter((disruption) => disruption.kind === "freeze");
  expect(kills.length).toBeGreaterThanOrEqual(200);
  expect(new Set(kills.map((disruption) => disruption.parts[0])).size).toBe(8);
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
    for (const question of ["approval", "cost center", "call", "request"] as const)
      expect(decide(3, at, question, 0)).not.toEqual(decide(3, at, question, 1));
});

test("kills come in the middle of calls, of decisions and of uses, and at other times", () => {
  const kills = planDisruptions(1, 20 * 60_000, parts).filter(({ kind }) => kind === "kill");
  expect(new Set(kills.map(({ moment }) => moment?.name ?? null))).toEqual(new Set([...MOMENTS, null]));
});

test("agents' clients of every kind come up within a minute", () => {
  const calls = planCalls(1, 25, 25, 54_000);
  const kinds = (of: (plan: CallPlan) => unknown) => new Set(calls.map(of)).size;
  expect(kinds(({ era, style, client }) => `${era} ${style} ${client}`)).toBe(8);
  expect(kinds(({ agents }) => agents.join())).toBe(3);
  expect(kinds(({ tool, client }) => `${tool} ${client}`)).toBe(4);
  expect(kinds(({ comesBack }) => comesBack)).toBe(3);
  expect(kinds(({ hangUpsMs }) => hangUpsMs.length)).toBe(3);
  // A process that is killed can't tell whether it has read a result.
  expect(calls.filter(({ client, hangUpsMs }) => client === "process" && hangUpsMs.length > 0)).toEqual([]);
});
