/** All writes to servers' call statistics. Upserts add, so that several engines may count at once. */
import type { Tx } from "../../base/db/db.ts";
import { PeerError, SignInNeeded, TokensUnreadable } from "../../mcp/peer-error.ts";
import {
  bucketOf,
  type Counted,
  FAILURE_CLASSES,
  type FailureClass,
  LATENCY_BUCKETS,
} from "./call-statistics-schema.ts";

/** Adds calls to the current five minutes and the current hour, by the database's clock. */
export async function addCalls(
  tx: Tx,
  serverId: string,
  { calls, failures, latency }: Counted,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO server_stat (organization_id, server_id, minutes, at, calls, failures, latency)
    SELECT ${tx.organizationId}::uuid, ${serverId}::uuid, minutes,
      date_bin(minutes * interval '1 minute', now(), 'epoch'), ${calls}::integer, ${failures}::integer[],
      ${latency}::integer[]
    FROM unnest(ARRAY[5, 60]) AS minutes
    ON CONFLICT (organization_id, server_id, minutes, at) DO UPDATE SET calls = server_stat.calls + excluded.calls,
      failures = add_each(server_stat.failures, excluded.failures),
      latency = add_each(server_stat.latency, excluded.latency)`;
}

/**
 * Deletes five-minute rows older than `fiveMinutesMs` and hourly rows older than `hoursMs`, at most `limit`.
 * Returns the number of deleted rows.
 */
export function dropOldCalls(
  tx: Tx,
  { fiveMinutesMs, hoursMs }: { fiveMinutesMs: number; hoursMs: number },
  limit: number,
): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM server_stat WHERE organization_id = ${tx.organizationId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM server_stat WHERE organization_id = ${tx.organizationId}::uuid
        AND at < now() - CASE minutes WHEN 5 THEN ${fiveMinutesMs}::float8 ELSE ${hoursMs}::float8 END
          * interval '1 ms'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
}

/** Counts calls in memory until they are written. */
export class Tally {
  #counted = none();

  /** Counts a finished call. `ms` is the server's response time; null if the tool determines the duration. */
  count(ms: number | null, failure: FailureClass | null): void {
    this.#counted.calls++;
    if (failure !== null) add(this.#counted.failures, FAILURE_CLASSES.indexOf(failure), 1);
    else if (ms !== null) add(this.#counted.latency, bucketOf(ms), 1);
  }

  /** Returns and resets the counts, or returns null if there are none. */
  take(): Counted | null {
    if (this.#counted.calls === 0) return null;
    const taken = this.#counted;
    this.#counted = none();
    return taken;
  }

  /** Adds counts back that could not be written. */
  giveBack({ calls, failures, latency }: Counted): void {
    this.#counted.calls += calls;
    for (const [place, count] of failures.entries()) add(this.#counted.failures, place, count);
    for (const [place, count] of latency.entries()) add(this.#counted.latency, place, count);
  }
}

/** Returns a failed call's class; null if the server answered; undefined if no call was made. */
export function failureOf(error: unknown): FailureClass | null | undefined {
  if (!(error instanceof PeerError)) return undefined;
  if (error instanceof SignInNeeded || error instanceof TokensUnreadable) return undefined;
  return CLASS_OF[error.code] ?? null;
}

const CLASS_OF: Partial<Record<PeerError["code"], FailureClass>> = {
  unreachable: "unreachable",
  address_not_allowed: "unreachable",
  timeout: "timeout",
  unauthorized: "unauthorized",
  rate_limited: "rate_limited",
  bad_reply: "bad_reply",
  too_large: "bad_reply",
};

function none(): Counted {
  return {
    calls: 0,
    failures: new Array(FAILURE_CLASSES.length).fill(0),
    latency: new Array(LATENCY_BUCKETS).fill(0),
  };
}

function add(counts: number[], place: number, count: number): void {
  counts[place] = (counts[place] ?? 0) + count;
}
