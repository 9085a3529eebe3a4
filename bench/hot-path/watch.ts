/** The cost of watching, by an engine and a server during a window of time. */
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { FLUSH_MS } from "../../lib/engine/tunables.ts";
import type { MeasuredEngine } from "./engine.ts";
import type { Report, SimulatedServer } from "./simulated.ts";

export interface Window extends Report {
  seconds: number;
  /** The engine's CPU, as a share of one core. */
  core: number;
  /** The engine's whole CPU in the window, per poll, in µs. */
  cpuUsPerPoll: number;
  writes: Writes;
  rss: number;
}

/** Totals since Postgres began to count. */
export interface Writes {
  transactions: number;
  /** Inserted, updated and deleted rows. */
  rows: number;
  walBytes: number;
}

export async function writesSoFar(admin: pg.Client): Promise<Writes> {
  const { rows } = await admin.query(`
    SELECT xact_commit::float8 AS transactions, (tup_inserted + tup_updated + tup_deleted)::float8 AS rows,
      (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS "walBytes"
    FROM pg_stat_database WHERE datname = current_database()`);
  return rows[0] as Writes;
}

export function difference(after: Writes, before: Writes): Writes {
  return {
    transactions: after.transactions - before.transactions,
    rows: after.rows - before.rows,
    walBytes: after.walBytes - before.walBytes,
  };
}

/** Resolves once every task was polled and the writes of the first polls are flushed. */
export async function untilEven(server: SimulatedServer, tasks: number, pollMs: number): Promise<void> {
  const deadline = Date.now() + 210_000;
  for (;;) {
    const { tasks: seen } = await server.report();
    if (seen >= tasks) break;
    if (Date.now() > deadline) throw new Error(`Only ${seen} of ${tasks} tasks were ever polled`);
    await pause(250);
  }
  await pause(Math.min(pollMs, 10_000) + FLUSH_MS);
}

export async function measure(
  engine: MeasuredEngine,
  server: SimulatedServer,
  admin: pg.Client,
  seconds: number,
): Promise<Window> {
  const before = await writesSoFar(admin);
  await server.reset();
  const [from, cpuFrom] = [performance.now(), engine.cpuMs()];
  await pause(seconds * 1_000);
  const report = await server.report();
  const [cpuMs, took] = [engine.cpuMs() - cpuFrom, performance.now() - from];
  const writes = difference(await writesSoFar(admin), before);
  return {
    ...report,
    seconds: took / 1_000,
    core: cpuMs / took,
    cpuUsPerPoll: (cpuMs * 1_000) / Math.max(1, report.polls),
    writes,
    rss: engine.rss(),
  };
}
