import type { Actor } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { database } from "../database.ts";
import { ADDRESS_SHARE, CALLS_CHUNK, CALLS_SWEEP_MS, CALLS_WINDOW_MS, WRITES_SHARE } from "../tunables.ts";
import type { Limit } from "./throttle.ts";

const counter = onePerProcess("calls", () => new CallCounter(database));

/**
 * Counts one call for the calling member, API key or directory, reads and writes apart; without a credential, for the
 * account of the browser, or the network (`Origin.key`). Throws `throttled`.
 */
export async function countCall(
  caller: { principal: Pick<Principal, "actor"> } | null,
  originKey: string,
  method: string,
): Promise<void> {
  const { name, limit } = caller ? windowOf(caller.principal.actor, method) : windowOfAddress(originKey);
  const retryAfterMs = await counter().take(name, limit);
  if (retryAfterMs > 0)
    throw new AppError("throttled", `More than ${limit.limit} calls in a minute; wait a little.`, {
      retryAfterMs,
    });
}

function windowOf({ kind, id }: Pick<Actor, "kind" | "id">, method: string) {
  const isWrite = method !== "GET" && method !== "HEAD";
  return {
    name: `calls ${kind} ${id} ${isWrite ? "write" : "read"}`,
    limit: limitOf(isWrite ? WRITES_SHARE : 1),
  };
}

function windowOfAddress(originKey: string) {
  return { name: `calls address ${originKey}`, limit: limitOf(ADDRESS_SHARE) };
}

function limitOf(share: number): Limit {
  return { limit: Math.ceil(env().rateLimit * share), windowMs: CALLS_WINDOW_MS };
}

interface Window {
  left: number;
  /** By performance.now(). */
  until: number;
  /** The window in Postgres has nothing beyond `left`. */
  spent: boolean;
}

/**
 * Counts calls in Postgres, for all processes together, by taking chunks of each window: a call within a
 * chunk, or refused, costs no statement.
 */
export class CallCounter {
  readonly #db: () => Promise<Database>;
  readonly #windows = new Map<string, Window>();
  /** One claim at a time per key. */
  readonly #claims = new Map<string, Promise<void>>();
  #sweepAt = performance.now() + CALLS_SWEEP_MS;

  constructor(db: () => Promise<Database>) {
    this.#db = db;
  }

  /** Takes one call. Returns 0, or the ms until the next call is allowed. */
  async take(key: string, limit: Limit): Promise<number> {
    for (;;) {
      if (this.#takeAtOnce(key)) return 0;
      const window = this.#windows.get(key);
      const leftMs = window ? window.until - performance.now() : 0;
      if (window?.spent && leftMs > 0) return leftMs;
      await this.#claim(key, limit);
    }
  }

  /** Takes one call of a chunk that is there. Returns false if there is none. */
  #takeAtOnce(key: string): boolean {
    const window = this.#windows.get(key);
    if (!window || window.left === 0 || window.until <= performance.now()) return false;
    window.left--;
    return true;
  }

  #claim(key: string, limit: Limit): Promise<void> {
    const claim =
      this.#claims.get(key) ?? this.#takeChunk(key, limit).finally(() => this.#claims.delete(key));
    this.#claims.set(key, claim);
    return claim;
  }

  async #takeChunk(key: string, { limit, windowMs }: Limit): Promise<void> {
    this.#sweep();
    const chunk = Math.min(CALLS_CHUNK, Math.ceil(limit / 10));
    const asked = performance.now();
    const db = await this.#db();
    const [row] = await db.gate<{ granted: number; left_ms: bigint }>(
      Prisma.sql`SELECT * FROM gate.take_calls(${key}, ${chunk}::integer, ${limit}::integer, ${windowMs}::bigint)`,
    );
    if (!row) throw new Error("no calls were counted");
    const { granted, left_ms: leftMs } = row;
    this.#windows.set(key, { left: granted, until: asked + Number(leftMs), spent: granted < chunk });
  }

  #sweep(): void {
    const now = performance.now();
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + CALLS_SWEEP_MS;
    for (const [key, { until }] of this.#windows) if (until < now) this.#windows.delete(key);
    this.#db()
      .then((db) => db.gate(Prisma.sql`SELECT gate.sweep_throttle()`))
      .catch((error: unknown) => log.warn({ err: error }, "Old counts of calls could not be removed"));
  }
}
