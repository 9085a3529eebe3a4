/**
 * Background jobs that run per organization rather than per connection: notices, statistics, retention. Every
 * engine runs them all; each job prevents duplicate work by row locks (SKIP LOCKED).
 */
import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { type Database, Prisma } from "../../base/db/db.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { jobFailures, jobSeconds, jobsWaiting } from "../../history/metrics/engine.ts";
import { IDLE_LOOK_MS, JOB_LANES, LOOK_AFTER_MS, LOOK_AGAIN_MS, LOOK_TOGETHER_MS } from "../tunables.ts";

export interface JobContext {
  database: Database;
  network: Network;
  seal: Seal;
  log: Logger;
  /** Called when work that a turn left running has ended: when the rest is due is known only now. */
  tell?(): void;
}

export interface Job {
  /** Also the name of the job's next work in `gate.next_due()`. */
  name: string;
  /** Shortest pause in ms between two looks for work. */
  everyMs: number;
  /**
   * True: the write that creates work wakes the job, which also looks when its next work is due, and every `IDLE_LOOK_MS`
   * in case a hint was lost. False: the job polls, every `everyMs`.
   */
  isTold: boolean;
  /** A query for the `id`s of organizations with work to do; null if there can't be any. */
  due(): Prisma.Sql | null;
  /** Does a bounded part of an organization's work. Returns true if more is left, which runs after the other organizations' turn. */
  run(context: JobContext, organizationId: string): Promise<boolean>;
  /** Ends work that turns have left running. Called on stop, after the last turn. */
  settled?(context: JobContext): Promise<void>;
}

/** All organizations, for jobs that find out themselves whether any work is due. */
export const ALL_ORGANIZATIONS = Prisma.sql`SELECT id FROM gate.organizations()`;

interface Place {
  job: Job;
  /** When to look for work; monotonic, in ms. */
  lookAt: number;
  /** When the last look, or the last turn, was. */
  lastAt: number;
  /** A look or a turn is under way. */
  isBusy: boolean;
  /** Told since the last look began. */
  wasTold: boolean;
}

/**
 * Looks for the work of all jobs that want to, in one statement, and runs the turns of those that have any side by
 * side. An engine without work sends a statement every `IDLE_LOOK_MS`.
 */
export class JobRunner {
  #context: JobContext;
  #places: Place[];
  #timer: NodeJS.Timeout | undefined;
  #turns = new Set<Promise<void>>();
  #stopping = false;

  constructor(context: JobContext, jobs: Job[]) {
    this.#context = { ...context, tell: () => this.tell() };
    const lastAt = Number.NEGATIVE_INFINITY;
    this.#places = jobs.map((job) => ({ job, lookAt: 0, lastAt, isBusy: false, wasTold: false }));
  }

  start(): void {
    this.#look();
  }

  /** Makes the jobs that accept hints (`isTold`) look for work soon. */
  tell(): void {
    for (const place of this.#places) {
      if (!place.job.isTold) continue;
      place.wasTold = true;
      if (!place.isBusy) place.lookAt = Math.min(place.lookAt, nextLook(place, LOOK_AFTER_MS));
    }
    this.#schedule();
  }

  /** Waits for running work. The rest is left to other engines, or to the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#turns);
    await Promise.all(this.#places.map(({ job }) => job.settled?.(this.#context)));
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopping) return;
    const waiting = this.#places.filter(({ isBusy }) => !isBusy);
    if (waiting.length === 0) return;
    const lookAt = Math.min(...waiting.map((place) => place.lookAt));
    this.#timer = setTimeout(() => this.#look(), Math.max(0, lookAt - performance.now()));
  }

  /**
   * Begins a look for each kind of job: the queries of those that nobody tells may take long. Jobs that may look again
   * look with those that want to, so that all want to at the same time from then on.
   */
  #look(): void {
    const now = performance.now();
    for (const isTold of [true, false]) {
      const free = this.#places.filter(({ job, isBusy }) => job.isTold === isTold && !isBusy);
      if (!free.some(({ lookAt }) => lookAt <= now + LOOK_TOGETHER_MS)) continue;
      const places = free.filter(
        ({ job, lookAt, lastAt }) => Math.min(lookAt, lastAt + job.everyMs) <= now + LOOK_TOGETHER_MS,
      );
      const turns = this.#lookAndRun(places).finally(() => this.#turns.delete(turns));
      this.#turns.add(turns);
    }
    this.#schedule();
  }

  /** Handles every error, so that one job's failure does not affect the others. */
  async #lookAndRun(places: Place[]): Promise<void> {
    const { database } = this.#context;
    const timers = new Map(places.map(({ job }) => [job, jobSeconds.startTimer({ name: job.name })]));
    for (const place of places) {
      place.isBusy = true;
      place.wasTold = false;
    }
    const jobs = places.map(({ job }) => job);
    const wantsNext = jobs.some(({ isTold }) => isTold);
    const found = await lookFor(database, jobs, wantsNext).catch((error: unknown) => error);
    const run = async (place: Place, { due, nextInMs }: Found) => {
      await this.#run(place, due.get(place.job) ?? [], nextInMs);
      timers.get(place.job)?.();
    };
    const fail = (place: Place, error: unknown) => {
      this.#logFailure(place.job.name, error);
      timers.get(place.job)?.();
      this.#release(place, place.job.everyMs);
    };
    if (found instanceof Found) await Promise.all(places.map((place) => run(place, found)));
    else if (isDatabaseDown(found)) for (const place of places) fail(place, found);
    else {
      // One query fails: the other jobs must neither fail with it nor wait for each other.
      const next = wantsNext ? this.#nextDue() : new Map<string, number>();
      await Promise.all(
        places.map(async (place) => {
          const alone = await lookFor(database, [place.job], false).catch((error: unknown) => error);
          if (alone instanceof Found) await run(place, { due: alone.due, nextInMs: await next });
          else fail(place, alone);
        }),
      );
    }
  }

  /** Runs a job's turn, if it has work. Never rejects. */
  async #run(place: Place, due: string[], nextInMs: Map<string, number>): Promise<void> {
    const { job } = place;
    const hadWork = due.length > 0;
    if (hadWork) await this.#turn(job, due);
    const calmMs = job.isTold
      ? Math.min(IDLE_LOOK_MS, Math.ceil(nextInMs.get(job.name) ?? IDLE_LOOK_MS))
      : job.everyMs;
    this.#release(place, hadWork ? job.everyMs : Math.max(LOOK_AFTER_MS, calmMs));
    // One job's work may be the next one's: a notice becomes a mail.
    if (hadWork && job.isTold) this.tell();
  }

  /** As part of `lookFor`; empty where that fails, so that jobs look every `IDLE_LOOK_MS`. */
  async #nextDue(): Promise<Map<string, number>> {
    try {
      return inMsByName(await this.#context.database.gate<Row>(NEXT_DUE));
    } catch (error) {
      this.#logFailure("next due", error);
      return new Map();
    }
  }

  #release(place: Place, inMs: number): void {
    place.isBusy = false;
    place.lastAt = performance.now();
    place.lookAt = place.lastAt + (place.wasTold ? Math.min(inMs, place.job.everyMs) : inMs);
    this.#schedule();
  }

  /**
   * Serves the organizations in turn, a few side by side: one may have much work or slow servers,
   * and the others do not wait for it. New work does not wait for it either.
   */
  async #turn(job: Job, organizations: string[]): Promise<void> {
    const waiting = [...organizations];
    const working = new Set<string>();
    const lanes = new Set<Promise<void>>();
    const count = () => jobsWaiting.set({ name: job.name }, waiting.length + working.size);
    const serve = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        working.add(id);
        count();
        const hasMore = await this.#serve(job, id);
        working.delete(id);
        if (hasMore) waiting.push(id);
      }
    };
    for (;;) {
      while (lanes.size < JOB_LANES && waiting.length > 0) {
        const lane = serve().finally(() => lanes.delete(lane));
        lanes.add(lane);
      }
      if (lanes.size === 0) break;
      await endOrPause(Promise.all(lanes), Math.max(LOOK_AGAIN_MS, job.everyMs));
      if (lanes.size === 0 || this.#stopping) continue;
      for (const id of await this.#dueFor(job))
        if (!working.has(id) && !waiting.includes(id)) waiting.push(id);
    }
    count();
  }

  /** The organizations with work for a job whose turn goes on. Never rejects. */
  async #dueFor(job: Job): Promise<string[]> {
    try {
      return (await lookFor(this.#context.database, [job], false)).due.get(job) ?? [];
    } catch (error) {
      this.#logFailure(job.name, error);
      return [];
    }
  }

  /** Returns true if more is left to do for the organization. Never rejects. */
  async #serve(job: Job, organizationId: string): Promise<boolean> {
    if (this.#stopping) return false;
    try {
      return (await job.run(this.#context, organizationId)) && !this.#stopping;
    } catch (error) {
      this.#logFailure(job.name, error, organizationId);
      return false;
    }
  }

  #logFailure(name: string, error: unknown, organizationId?: string): void {
    jobFailures.inc({ name });
    const level = isDatabaseDown(error) ? "warn" : "error";
    this.#context.log[level]({ err: error, job: name, organizationId }, "a job failed");
  }
}

/** Waits for the end of what goes on, but no longer than `ms`. */
async function endOrPause(end: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([end, pause]);
  clearTimeout(timer);
}

/** Not before `everyMs` after the last look: however often a job is told, its pace stays. */
function nextLook({ job, lastAt }: Place, inMs: number): number {
  return Math.max(performance.now() + inMs, lastAt + job.everyMs);
}

class Found {
  readonly due = new Map<Job, string[]>();
  /** When the next work is due, in ms, by name; only of jobs whose work becomes due by itself. */
  nextInMs = new Map<string, number>();
}

interface Row {
  job: string;
  id: string | null;
  inMs: number | null;
}

const NEXT_DUE = Prisma.sql`SELECT next.job, NULL AS id, next.in_ms AS "inMs" FROM gate.next_due() next`;

/** Asks for the work of these jobs in one statement, and with `wantsNext` for the time of what is due next. */
async function lookFor(database: Database, jobs: Job[], wantsNext: boolean): Promise<Found> {
  const asked = jobs.flatMap((job) => {
    const due = job.due();
    return due ? [{ job, due }] : [];
  });
  const found = new Found();
  if (asked.length === 0) return found;
  const queries = asked.map(
    ({ job, due }) =>
      Prisma.sql`SELECT ${job.name}::text AS job, found.id::text AS id, NULL::float8 AS "inMs" FROM (${due}) found`,
  );
  const rows = await database.gate<Row>(
    Prisma.join(wantsNext ? [...queries, NEXT_DUE] : queries, " UNION ALL "),
  );
  const byName = Map.groupBy(rows, ({ job }) => job);
  for (const { job } of asked)
    found.due.set(
      job,
      (byName.get(job.name) ?? []).flatMap(({ id }) => id ?? []),
    );
  found.nextInMs = inMsByName(rows);
  return found;
}

function inMsByName(rows: Row[]): Map<string, number> {
  return new Map(rows.flatMap(({ job, inMs }) => (inMs === null ? [] : [[job, inMs] as const])));
}
