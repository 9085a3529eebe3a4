/** When the failover check fails. */
import { expect, test } from "vitest";
import { newJudgement } from "../chaos/judgement.ts";
import type { FailoverAccount } from "./run.ts";
import { faultsOf } from "./table.ts";

const DECIDED = { requestId: "r", action: "accept", outcome: "taken", at: 0, unheard: 0 } as const;

function failing(account: Partial<Omit<FailoverAccount, "chaos">>): string[] {
  const faults = faultsOf({
    mode: "sync",
    seed: 1,
    failovers: [],
    survived: [],
    webErrors: 0,
    decided: [DECIDED],
    verdict: { lost: [], doubled: [], misdirected: [] },
    ...account,
    chaos: { judgement: newJudgement() } as FailoverAccount["chaos"],
  });
  return faults.filter(([, count]) => count > 0).map(([name]) => name);
}

const after = (kind: FailoverAccount["failovers"][number]["kind"], primaries: number, sessions = 0) => ({
  kind,
  keyMs: 1,
  gapMs: 1,
  oldSide: { primaries, sessions, writes: "refused" as const },
  paused: true,
});

test("a run in which all went well passes, in both modes", () => {
  const failovers = [after("patroni killed", 8), after("postgres killed", 0)];
  expect(failing({ failovers })).toEqual([]);
  expect(failing({ failovers, mode: "async" })).toEqual([]);
});

test("a run that proves nothing fails", () => {
  expect(failing({ decided: [] })).toEqual(["nothing decided"]);
  const blind = [after("patroni killed", 0), after("patroni frozen", 0), after("both killed", 0)];
  expect(failing({ failovers: blind })).toEqual(["no old side was seen"]);
  expect(failing({ failovers: [...blind, after("patroni frozen", 1)] })).toEqual([]);
});

test("without synchronous replication decisions may be lost, and may not turn into others", () => {
  const verdict = { lost: ["a"], doubled: [], misdirected: ["b"] };
  expect(failing({ verdict })).toEqual(["lost", "misdirected"]);
  expect(failing({ verdict, mode: "async" })).toEqual(["misdirected"]);
});

test("a failover after which nobody looked fails where the last moments may be lost", () => {
  const failovers = [{ ...after("postgres killed", 0), paused: false }];
  expect(failing({ failovers })).toEqual([]);
  expect(failing({ failovers, mode: "async" })).toEqual(["failovers without a look"]);
});

test("a session of Intray at a primary without the leader key fails", () => {
  expect(failing({ failovers: [after("patroni frozen", 3, 1)] })).toEqual(["sessions at the old side"]);
});
