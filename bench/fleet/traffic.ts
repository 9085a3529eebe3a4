/** People who answer questions and start tasks at a steady pace, and the results at the servers. */
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseDown } from "../../lib/base/db/database-errors.ts";
import { clock } from "../child.ts";
import { type Figure, quantile } from "../figure.ts";
import type { Asking } from "./asking.ts";
import type { Servers } from "./servers.ts";
import type { Stage } from "./stage.ts";

/** Intray's ids of tasks, with when their start or answer was committed, in ms by the wall clock. */
export interface Deeds {
  answered: Map<string, number>;
  started: Map<string, number>;
}

/**
 * Runs `deed` every `everyMs` until `signal` aborts. Retries while the database is down, as a browser's user
 * would.
 */
async function steadily(everyMs: number, signal: AbortSignal, deed: () => Promise<boolean>): Promise<void> {
  const under = new Set<Promise<void>>();
  for (let next = performance.now(); !signal.aborted; next += everyMs) {
    await sleep(Math.max(0, next - performance.now()));
    const one = insistently(deed).finally(() => under.delete(one));
    under.add(one);
  }
  await Promise.all(under);
}

async function insistently(deed: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    try {
      if (await deed()) return;
    } catch (error) {
      if (!isDatabaseDown(error)) throw error;
    }
    await sleep(100);
  }
  throw new Error("it could not be done in 30 s");
}

/**
 * Answers the questions of `asking` one after the other, and starts tasks at `places` in turns, both every
 * `everyMs`, until `signal` aborts. Returns everything whose commit was confirmed.
 */
export async function traffic(
  stage: Stage,
  { by, asking, places, everyMs, signal }: Asking & { everyMs: number; signal: AbortSignal },
): Promise<Deeds> {
  const deeds: Deeds = { answered: new Map(), started: new Map() };
  const questions = [...asking];
  let turn = 0;
  await Promise.all([
    steadily(everyMs, signal, async () => {
      const id = questions.shift();
      if (id === undefined) return true;
      try {
        // If a commit succeeded without confirmation, the retry finds no open question and does not count.
        if (await stage.answer(by, id)) deeds.answered.set(id, clock());
        return true;
      } catch (error) {
        questions.unshift(id);
        throw error;
      }
    }),
    steadily(everyMs, signal, async () => {
      const place = places[turn++ % places.length];
      if (!place) throw new Error("there are no places");
      const [id] = await stage.start(by, [place], "work", 5_000);
      if (id !== undefined) deeds.started.set(id, clock());
      return true;
    }),
  ]);
  return deeds;
}

export interface Outcome {
  /** Time from the commit to the server, in ms, in the order of the commits. */
  answers: { at: number; ms: number }[];
  starts: { at: number; ms: number }[];
  lost: number;
  doubled: number;
}

/** Waits until the servers have received everything, or for `patienceMs`. */
export async function outcome(servers: Servers, deeds: Deeds, patienceMs = 60_000): Promise<Outcome> {
  for (const until = performance.now() + patienceMs; ; await sleep(250)) {
    const seen = await servers.seen();
    const first = { call: new Map<string, number>(), answer: new Map<string, number>() };
    let doubled = 0;
    for (const { what, of, at } of seen) {
      if (what !== "call" && what !== "answer") continue;
      if (first[what].has(of)) doubled++;
      else first[what].set(of, at);
    }
    const delays = (done: Map<string, number>, told: Map<string, number>) =>
      [...done].flatMap(([id, at]) => {
        const seenAt = told.get(id);
        return seenAt === undefined ? [] : [{ at, ms: seenAt - at }];
      });
    const answers = delays(deeds.answered, first.answer);
    const starts = delays(deeds.started, first.call);
    const lost = deeds.answered.size - answers.length + (deeds.started.size - starts.length);
    if (lost === 0 || performance.now() > until) return { answers, starts, lost, doubled };
  }
}

/** The figures of lost and doubled work, which must be 0. */
export function notDone({ answers, starts, lost, doubled }: Outcome): Figure[] {
  return [
    { what: "answers and starts of the run", value: answers.length + starts.length, unit: "" },
    { what: "lost", value: lost, unit: "", goal: { atMost: 0 } },
    { what: "doubled", value: doubled, unit: "", goal: { atMost: 0 } },
  ];
}

export function longest(delays: { ms: number }[]): number {
  return Math.max(0, ...delays.map(({ ms }) => ms));
}

export function p(part: number, delays: { ms: number }[]): number {
  return quantile(
    delays.map(({ ms }) => ms),
    part,
  );
}
