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

interface Seen {
  now: string;
  /** Whether a commit waits until a standby has it. */
  waits: boolean;
  /** What engines stored; null: nothing yet. */
  known: string | null;
  waited: boolean | null;
  /** Whether an engine worked on this database lately. */
  lately: boolean;
}

/** Postgres names the current WAL file by its timeline, in eight digits, from the moment of a promotion. */
const LOOK = `SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS now, known.timeline AS known, known.waited,
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')
    AS waits, EXISTS (SELECT FROM engine WHERE seen_at > now() - interval '${LATELY_MS} ms') AS lately
  FROM (SELECT) one LEFT JOIN database_timeline known ON true`;
/** Some services have no WAL to look at. */
const NOT_SUPPORTED = "0A000";
const LOOK_TIMEOUT_MS = 5_000;
const LOOKS_UNTIL_UNSAFE = 4;

const REASON =
  "The database failed over or was restored, and may have lost its last moments: look at what the server has before this goes on.";
const FAILOVER = { kind: "system" as const, id: null, name: "Failover" };

export class TimelineWatch {
  readonly #url: string;
  readonly #log: Logger;
  #settling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Lets a new connection be used once the timeline that it leads to is known. A promotion ends all earlier connections. */
  async admit(client: pg.ClientBase): Promise<void> {
    try {
      const query = { text: LOOK, query_timeout: LOOK_TIMEOUT_MS } as pg.QueryConfig;
      const look = async () => (await client.query<Seen>(query)).rows[0];
      // Again after each settling, which is by another connection: that may lead to another primary.
      for (let seen = await look(); seen && !isKnown(seen); seen = await look()) await this.#settleOnce(seen);
    } catch (error) {
      if (sqlState(error) !== NOT_SUPPORTED) throw error;
    }
  }

  /** Keeps what is stored about waiting commits up to date, where connections stay for long. */
  start(database: Database): void {
    let unsafe = 0;
    const look = async () => {
      const [seen] = await database.gate<Seen>(Prisma.raw(LOOK));
      if (seen && !isKnown(seen)) await this.#settleOnce(seen);
      // A new primary has no standby for its first seconds, in which nobody takes over from it.
      unsafe = seen?.waited && !seen.waits ? unsafe + 1 : 0;
      if (unsafe >= LOOKS_UNTIL_UNSAFE)
        await database.gate(Prisma.sql`UPDATE database_timeline SET waited = false`);
    };
    this.#timer ??= setInterval(() => {
      look().catch((error: unknown) => {
        if (sqlState(error) === NOT_SUPPORTED) clearInterval(this.#timer);
        else this.#log.warn({ err: error }, "the timeline was not looked at");
      });
    }, TIMELINE_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#settling?.catch(() => undefined); // logged, or thrown to the connection that asked
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
