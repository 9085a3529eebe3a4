import { Socket } from "node:net";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { log } from "./log.ts";
import { SCHEMA } from "./schema.ts";

/** The server's own Postgres database: its tables and, beside them, the schema `dbos`. */
export type Database = {
  url: string;
  pool: pg.Pool;
  /** The connections of DBOS's own tables. */
  workflowPool: pg.Pool;
  /** Sends workflow messages inside a transaction, so that a change and its wake-up commit together. */
  mailbox: DBOSClient;
  close: () => Promise<void>;
};

export async function openDatabase(url: string): Promise<Database> {
  const pool = openPool(url, 4);
  const workflowPool = openPool(url, 5);
  const mailbox = await DBOSClient.create({ systemDatabaseUrl: url, systemDatabasePool: pool });
  return {
    url,
    pool,
    workflowPool,
    mailbox,
    close: async () => {
      await mailbox.destroy();
      await Promise.all([pool.end(), workflowPool.end()]);
    },
  };
}

function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, stream: openSocket });
  pool.on("error", (error) => log.info("a database connection was lost", error));
  return pool;
}

/**
 * A socket that reports each broken connection as a reset. DBOS 5.3 retries after a reset, but not after the EPIPE of a
 * write to a Postgres that was just killed: the workflow would rest until the next start.
 */
function openSocket(): Socket {
  return new Socket().on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") error.code = "ECONNRESET";
  });
}

/**
 * Creates the database if it is missing and the role may, then the tables; DBOS creates its own at launch.
 * Safe to run at every start.
 */
export async function prepareDatabase(url: string): Promise<void> {
  await createIfMissing(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(SCHEMA);
  } finally {
    await client.end();
  }
}

export async function inTransaction<T>(
  db: Database,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await db.pool.connect();
  let broken = false;
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function createIfMissing(url: string): Promise<void> {
  const probe = new pg.Client({ connectionString: url });
  try {
    await probe.connect();
    return;
  } catch (error) {
    if (!isPostgresError(error, "3D000")) throw error;
  } finally {
    await probe.end();
  }
  const maintenance = new URL(url);
  const name = decodeURIComponent(maintenance.pathname.slice(1));
  maintenance.pathname = "/postgres";
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process created the database after the check.
    if (!isPostgresError(error, "42P04")) throw error;
  } finally {
    await client.end();
  }
}

function isPostgresError(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code;
}
