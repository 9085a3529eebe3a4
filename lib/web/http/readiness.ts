import { readdir } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { Prisma } from "../../base/db/db.ts";
import { log } from "../../base/log.ts";
import { database } from "../database.ts";
import { ENGINE_SEEN_MS } from "../tunables.ts";

export const readinessSchema = z.object({
  ready: z.boolean(),
  /** The database answers. */
  database: z.boolean(),
  /**
   * The database has this version's migrations. Those of a newer version may be present too: they keep this
   * one working.
   */
  migrations: z.boolean(),
  /** An engine process was seen in the last 15 s. */
  engine: z.boolean(),
});
export type Readiness = z.infer<typeof readinessSchema>;

export const readinessQuerySchema = z.object({
  /** web: whether calls may be sent to this process; people read and answer also while no engine runs. */
  part: z.literal("web").optional(),
});

/** The readiness of all parts together, or of this process. Does not throw when the database is down. */
export async function readiness(part?: "web"): Promise<Readiness> {
  try {
    const db = await database();
    const [row] = await db.gate<{ names: string[]; engine: boolean }>(Prisma.sql`
      SELECT coalesce((SELECT array_agg(migration_name::text ORDER BY migration_name) FROM _prisma_migrations
          WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL), '{}') AS names,
        EXISTS (SELECT FROM engine WHERE seen_at > now() - ${ENGINE_SEEN_MS} * interval '1 ms') AS engine`);
    const applied = new Set(row?.names);
    const migrations = (await knownMigrations()).every((name) => applied.has(name));
    const engine = row?.engine === true;
    return { ready: migrations && (engine || part === "web"), database: true, migrations, engine };
  } catch (error) {
    if (!isDatabaseDown(error)) throw error;
    log.warn({ err: error }, "The database cannot be reached");
    return { ready: false, database: false, migrations: false, engine: false };
  }
}

let known: Promise<string[]> | undefined;

/** Returns the names of this version's migrations, in order. Expects to run in the project's folder. */
export function knownMigrations(): Promise<string[]> {
  known ??= readdir(path.join(process.cwd(), "prisma/migrations"), { withFileTypes: true }).then((entries) =>
    entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort(),
  );
  return known;
}
