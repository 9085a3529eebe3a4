/**
 * After a failover or a restore the database may have forgotten its last moments, and servers have not. Its WAL has another
 * timeline then. Engines notice that before they send anything (docs/failover.md).
 */
import type pg from "pg";
import type { Logger } from "pino";
import { sqlState } from "../base/db/database-errors.ts";
import { createDatabase, type Database, Prisma } from "../base/db/db.ts";
import { pauseEveryServer } from "../servers/pause.ts";
import { ALL_ORGANIZATIONS } from "./jobs/job-runner.ts";
import { LATELY_MS, TIMELINE_MS } from "./tunables.ts";

interface Stored {
  /** Whether a commit waits until a standby has it. */
  waits: boolean;
  /** What engines stored; null: nothing yet. */
  known: string | null;
  waited: boolean | null;
  /** Whether an engine worked on this database lately. */
  lately: boolean;
}

interface Seen extends Stored {
  now: string;
}

/** Postgres names the current WAL file by its timeline, in eight digits, from the moment of a promotion. */
const NOW = "SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS now";
const STORED = `SELECT known.timeline AS known, known.waited,
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')
    AS waits, EXISTS (SELECT FROM engine WHERE seen_at > now() - interval '${LATELY_MS} ms') AS lately
  FROM (SELECT) one LEFT JOIN database_timeline known ON true`;
/** Some services have no WAL to look at (0A000), let nobody look (42501), or have no such functions (42883). */
const NOT_SHOWN = new Set(["0A000", "42501", "42883"]);
const LOOK_TIMEOUT_MS = 5_000;
const LOOKS_UNTIL_UNSAFE = 4;

const REASON =
  "The database failed over or was restored, and may have lost its last moments: check what the server has before you resume it.";
const FAILOVER = { kind: "system" as const, id: null, name: "Failover" };

type Ask = <T>(text: string) => Promise<T[]>;

export class TimelineWatch {
  readonly #url: string;
  readonly #log: Logger;
  #settling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isShown = true;

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Lets a new connection be used once the timeline that it leads to is known. A promotion ends all earlier connections. */
  async admit(client: pg.ClientBase): Promise<void> {
    const ask: Ask = async (text) =>
      (await client.query({ text, query_timeout: LOOK_TIMEOUT_MS } as pg.QueryConfig)).rows;
    // Again after each settling, which is by another connection: that may lead to another primary.
    for (let seen = await this.#look(ask); seen && !isKnown(seen); seen = await this.#look(ask))
      await this.#settleOnce(seen);
  }

  /** Keeps what is stored about waiting commits up to date, where connections stay for long. */
  start(database: Database): void {
    let unsafe = 0;
    const look = async () => {
      const seen = await this.#look((text) => database.gate(Prisma.raw(text)));
      if (seen && !isKnown(seen)) await this.#settleOnce(seen);
      // A new primary has no standby for its first seconds, in which nobody takes over from it.
      unsafe = seen?.waited && !seen.waits ? unsafe + 1 : 0;
      if (unsafe >= LOOKS_UNTIL_UNSAFE)
        await database.gate(Prisma.sql`UPDATE database_timeline SET waited = false`);
    };
    this.#timer ??= setInterval(() => {
      look().catch((error: unknown) => this.#log.warn({ err: error }, "the timeline was not looked at"));
    }, TIMELINE_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#settling?.catch(() => undefined); // logged, or thrown to the connection that asked
  }

  /** Null where the database does not show its timeline. */
  async #look(ask: Ask): Promise<Seen | null> {
    if (!this.#isShown) return null;
    let now: string;
    try {
      const [shown] = await ask<{ now: string }>(NOW);
      if (!shown) throw new Error("the database did not say its timeline");
      ({ now } = shown);
    } catch (error) {
      if (!NOT_SHOWN.has(sqlState(error) ?? "")) throw error;
      if (this.#isShown)
        this.#log.warn(
          { err: error },
          "the database does not show its timeline: no engine will notice a failover",
        );
      this.#isShown = false;
      return null;
    }
    const [stored] = await ask<Stored>(STORED);
    return stored ? { now, ...stored } : null;
  }

  async #settleOnce(seen: Seen): Promise<void> {
    this.#settling ??= this.#settle(seen).finally(() => {
      this.#settling = null;
    });
    await this.#settling;
  }

  async #settle({ now, known, waits, waited, lately }: Seen): Promise<void> {
    const db = createDatabase(this.#url, { connections: 1 });
    try {
      if (known !== null && known !== now) {
        this.#log.warn({ from: known, to: now, waited, lately }, "the database has another timeline");
        // A database from a backup says of itself that commits waited; it had no engine since then.
        if (!waited || !lately) await this.#pauseAll(db);
      }
      await db.gate(Prisma.sql`INSERT INTO database_timeline (timeline, waited) VALUES (${now}, ${waits})
        ON CONFLICT (only_row) DO UPDATE SET timeline = excluded.timeline,
          waited = database_timeline.waited OR excluded.waited`);
    } finally {
      await db.close();
    }
  }

  async #pauseAll(db: Database): Promise<void> {
    for (const { id } of await db.gate<{ id: string }>(ALL_ORGANIZATIONS))
      await pauseEveryServer(db, id, FAILOVER, REASON);
    this.#log.error("every server is paused: the database may have lost its last moments");
  }
}

function isKnown({ now, known, waits, waited }: Seen): boolean {
  return known === now && (waited === true || !waits);
}
