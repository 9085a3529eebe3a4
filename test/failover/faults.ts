/** What is done to the leader, and what both sides may do meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Cluster, type Member, pastProxy, send } from "./cluster.ts";

export const FAULTS = [
  "postgres killed",
  "patroni killed",
  "both killed",
  "postgres frozen",
  "patroni frozen",
  "both frozen",
  "cut off from etcd",
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** What a side without the leader key did, once another member had the key. */
export interface OldSide {
  /** Looks that found its Postgres up and no standby. */
  primaries: number;
  /** Sessions of Intray there, counted at each look. */
  sessions: number;
  /** Whether a write past HAProxy was committed there. */
  writes: "committed" | "waits" | "refused";
}

const LOOK_MS = 250;
const WRITE_MS = 1_000;

export function strike(kind: FaultKind, member: Member): void {
  const [postmaster] = member.postgres();
  const patroni = member.patroni.pid();
  if (kind === "cut off from etcd") member.toEtcd.cut();
  if ((kind === "patroni killed" || kind === "both killed") && patroni) send(patroni, "SIGKILL");
  if ((kind === "patroni frozen" || kind === "both frozen") && patroni) send(patroni, "SIGSTOP");
  if (kind === "postgres killed" && postmaster) send(postmaster, "SIGKILL");
  if (kind === "both killed") for (const pid of member.postgres()) send(pid, "SIGKILL");
  if (kind === "postgres frozen" || kind === "both frozen")
    for (const pid of member.postgres()) send(pid, "SIGSTOP");
}

/** Brings the member back, whatever was done to it. */
export function mend(member: Member): void {
  member.toEtcd.mend();
  for (const pid of member.postgres()) send(pid, "SIGCONT");
  const patroni = member.patroni.pid();
  if (patroni) send(patroni, "SIGCONT");
  else member.patroni.start();
}

/** Waits until another member holds the leader key. Returns its name, or null if none takes it in time. */
export async function successor(
  cluster: Cluster,
  old: Member,
  withinMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; ) {
    const name = await cluster.holder();
    if (name !== null && name !== old.name) return name;
    await sleep(100, undefined, { signal });
  }
  return null;
}

/** Looks at the member that has lost the key for `ms`, past HAProxy, as nothing of Intray's can. */
export async function watchOldSide(
  cluster: Cluster,
  old: Member,
  ms: number,
  signal: AbortSignal,
): Promise<OldSide> {
  const url = pastProxy(cluster, old);
  const seen: OldSide = { primaries: 0, sessions: 0, writes: "refused" };
  const writing = write(url).then((how) => {
    seen.writes = how;
  });
  for (const until = Date.now() + ms; Date.now() < until; await sleep(LOOK_MS, undefined, { signal })) {
    const sessions = await intraySessions(url);
    if (sessions === null) continue;
    seen.primaries++;
    seen.sessions += sessions;
  }
  await writing;
  return seen;
}

/** Null where its Postgres does not answer, or is a standby. */
async function intraySessions(url: string): Promise<number | null> {
  try {
    return await withMember(url, async (client) => {
      const { rows } = await client.query<{ standby: boolean; sessions: number }>(
        `SELECT pg_is_in_recovery() AS standby, (SELECT count(*)::int FROM pg_stat_activity
          WHERE usename LIKE 'intray%' AND backend_type = 'client backend') AS sessions`,
      );
      return rows[0] && !rows[0].standby ? rows[0].sessions : null;
    });
  } catch {
    return null; // killed, frozen, or shutting down
  }
}

/** Tries to commit a row, and goes away without cancelling if that takes long: a cancelled wait would commit it. */
async function write(url: string): Promise<OldSide["writes"]> {
  try {
    return await withMember(url, async (client) => {
      const committed = client
        .query(
          "CREATE TABLE IF NOT EXISTS old_side (at timestamptz DEFAULT now()); INSERT INTO old_side DEFAULT VALUES",
        )
        .then(() => "committed" as const);
      return Promise.race([committed, sleep(WRITE_MS).then(() => "waits" as const)]);
    });
  } catch {
    return "refused";
  }
}

async function withMember<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: WRITE_MS,
    query_timeout: 2 * WRITE_MS,
  });
  client.on("error", () => {}); // the query that it breaks says so
  try {
    await client.connect();
    return await work(client);
  } finally {
    // Not awaited: a frozen Postgres never says goodbye.
    void client.end().catch(() => {});
  }
}
