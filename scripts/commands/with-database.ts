import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { isDatabaseDown, sqlState } from "../../lib/base/db/database-errors.ts";
import { createDatabase, type Database, Prisma } from "../../lib/base/db/db.ts";
import { env, parseEnvironment } from "../../lib/base/env.ts";
import { readKeys } from "../../lib/base/key-ring.ts";
import type { SealingKey } from "../../lib/base/seal.ts";
import { startEmbedded } from "../database/embedded.ts";
import { readSecrets } from "../database/secrets.ts";
import { migrate } from "../migrate.ts";
import { CommandError } from "./usage.ts";

/** Postgres' advisory lock that a command shares while it uses an embedded Postgres; an arbitrary number. */
const IN_USE = 4_672_901;

/**
 * Gives `work` the owner's URL: DATABASE_URL's, else the embedded Postgres', which is started meanwhile if
 * the app does not run, and adopted if it does. Of several simultaneous commands the one that started it
 * stops it, once the others are done.
 */
export async function withOwnerUrl<T>(work: (ownerUrl: string, started: boolean) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = env();
  if (databaseUrl) return work(databaseUrl, false);
  const { server, ownerUrl, superuserUrl } = await startEmbedded(resolve(dataDir));
  const user = new pg.Client({ connectionString: superuserUrl });
  user.on("error", () => {}); // the next statement reports a lost connection
  try {
    await user.connect();
    await user.query("SELECT pg_advisory_lock_shared($1)", [IN_USE]);
    return await work(ownerUrl, !server.adopted);
  } finally {
    if (!server.adopted) {
      await user.query("SELECT pg_advisory_unlock_shared($1)", [IN_USE]);
      await user.query("SELECT pg_advisory_lock($1)", [IN_USE]);
    }
    await user.end();
    if (!server.adopted) await server.stop("fast");
  }
}

/** Gives `work` the database as its owner, whom row security binds too. An embedded one is migrated first. */
export async function withOwnerDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return withOwnerUrl(async (ownerUrl, started) => {
    if (started) await migrate(ownerUrl, (line) => process.stderr.write(`${line}\n`));
    const db = createDatabase(ownerUrl, { connections: 2 });
    try {
      return await work(db);
    } catch (error) {
      throw explained(error);
    } finally {
      await db.close();
    }
  });
}

/** Returns an organization's id. Throws CommandError if no organization has that slug. */
export async function organizationBySlug(db: Database, slug: string): Promise<string> {
  const [found] = await db.gate<{ id: string }>(
    Prisma.sql`SELECT id FROM gate.organization_by_slug(${slug})`,
  );
  if (!found) throw new CommandError(`There is no organization "${slug}".`);
  return found.id;
}

/**
 * Returns the sealing keys: those of the settings, else those that the embedded installation made for itself.
 * Throws CommandError and ConfigurationError.
 */
export function sealingKeys(): SealingKey[] {
  const { databaseUrl, dataDir } = env();
  const own = databaseUrl ? undefined : readSecrets(resolve(dataDir))?.intrayKeys;
  const ring = readKeys(env()) ?? parseEnvironment({ INTRAY_KEYS: own }).keys;
  if (!ring) throw new CommandError("INTRAY_KEYS is not set, and this command needs it.");
  return ring;
}

/** Whether the embedded database was ever made, without making it. */
export function embeddedExists(): boolean {
  return existsSync(join(resolve(env().dataDir), "secrets.json"));
}

function explained(error: unknown): unknown {
  if (isDatabaseDown(error)) return new CommandError("The database cannot be reached.", { cause: error });
  const unknownSchema = ["3F000", "42P01", "42883"].includes(sqlState(error) ?? "");
  if (!unknownSchema) return error;
  return new CommandError("The database is not up to this version: run `npm run -s intray -- migrate`.", {
    cause: error,
  });
}
