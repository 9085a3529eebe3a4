/** What a window of time cost: the kernel's count of each process's CPU, and Postgres's count of its transactions. */
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import type { Child } from "../child.ts";
import { type Writes, writesSoFar } from "../hot-path/watch.ts";

export interface Cost {
  seconds: number;
  /** CPU in ms, by process. */
  cpu: { web: number; engine: number; postgres: number; server: number };
  /** Of Intray's own database; those of rivals have counts of their own. */
  transactions: number;
  rows: number;
  walBytes: number;
}

export interface Meter {
  /** Ends the window when it is called. */
  start(): Promise<() => Promise<Cost>>;
  /** CPU in ms of all of Postgres so far, its backends that have ended among them. */
  postgresMs(): number;
  close(): Promise<void>;
}

const TICKS_A_SECOND = 100;

export async function openMeter(
  adminUrl: string,
  processes: { web: number; engine: number; server: Child },
): Promise<Meter> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const { rows } = await admin.query("SELECT pg_backend_pid() AS pid");
  const postmaster = statOf(rows[0].pid)!.parent;
  const postgresMs = () => {
    const own = statOf(postmaster)!;
    const backends = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const theirs = backends.map((pid) => statOf(Number(pid))).filter((stat) => stat?.parent === postmaster);
    return own.cpuMs + own.endedMs + theirs.reduce((sum, stat) => sum + stat!.cpuMs, 0);
  };
  const cpu = () => ({
    web: cpuMs(processes.web),
    engine: cpuMs(processes.engine),
    postgres: postgresMs(),
    server: cpuMs(processes.server.pid),
  });
  return {
    postgresMs,
    async start() {
      const writes = await settled(admin);
      const [from, before] = [performance.now(), cpu()];
      return async () => {
        const [now, seconds] = [cpu(), (performance.now() - from) / 1_000];
        const spent = Object.fromEntries(
          Object.entries(now).map(([name, ms]) => [name, ms - before[name as keyof typeof before]]),
        );
        const after = await settled(admin);
        return {
          seconds,
          cpu: spent as Cost["cpu"],
          transactions: after.transactions - writes.transactions,
          rows: after.rows - writes.rows,
          walBytes: after.walBytes - writes.walBytes,
        };
      };
    },
    close: () => admin.end(),
  };
}

/** A backend hands in its counts at most every second: what it did just now may be counted late. */
async function settled(admin: pg.Client): Promise<Writes> {
  await admin.query("SELECT pg_stat_clear_snapshot()");
  return writesSoFar(admin);
}

/** The kernel's count for a process with all its threads, in ms; exact to 10 ms. */
export function cpuMs(pid: number): number {
  return statOf(pid)?.cpuMs ?? Number.NaN;
}

function statOf(pid: number): { parent: number; cpuMs: number; endedMs: number } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The name, in parentheses, may hold anything.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const ms = (...at: number[]) => (at.reduce((sum, n) => sum + (fields[n] ?? 0), 0) * 1_000) / TICKS_A_SECOND;
  return { parent: fields[1]!, cpuMs: ms(11, 12), endedMs: ms(13, 14) };
}
