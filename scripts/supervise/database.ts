import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../../lib/env.ts";
import { type EmbeddedPostgres, startEmbedded } from "../database/embedded.ts";
import { withClient } from "../database/roles.ts";
import { migrate } from "../migrate.ts";
import { print } from "./part.ts";

/** The embedded Postgres, started again when it dies. */
export type KeptPostgres = EmbeddedPostgres & { stop(mode: "fast" | "immediate"): Promise<void> };

/** `giveUp` is called when it cannot be brought back, or only on another port, which the other parts do not know. */
export async function keepPostgres(dataDir: string, giveUp: (why: string) => void): Promise<KeptPostgres> {
  const first = await startEmbedded(dataDir, { detached: true });
  let server = first.server;
  let stopping = false;
  void keepRunning().catch((error) => giveUp(error.message));

  async function keepRunning(): Promise<void> {
    for (;;) {
      await server.exited;
      if (stopping) return;
      print("postgres", "ended unexpectedly; starting it again");
      await sleep(200);
      if (stopping) return;
      server = (await startEmbedded(dataDir, { detached: true })).server;
      if (stopping) return await server.stop("fast");
      if (server.port !== first.server.port) throw new Error("Postgres's port was taken by another program.");
      print("postgres", "is back");
    }
  }

  return {
    ...first,
    async stop(mode) {
      stopping = true;
      await server.stop(mode);
    },
  };
}

/** Throws ConfigurationError, without the URL: it may hold a password. */
export async function checkDatabase(url: string): Promise<void> {
  try {
    await withClient(url, (client) => client.query("select 1"));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const why = message || code || "no answer";
    throw new ConfigurationError(
      `The database at DATABASE_URL does not let us in (${why}): check the address and that it runs, or unset DATABASE_URL to use the embedded one.`,
    );
  }
}

export async function migrateDatabase(ownerUrl: string, say: (line: string) => void): Promise<void> {
  try {
    await migrate(ownerUrl, say);
  } catch (error) {
    // Its own sentences have a code in words; an unexpected error keeps its stack.
    const { code, message } = error as { code?: string; message: string };
    if (["database_newer", "migration_changed", "migration_failed"].includes(code ?? "")) {
      throw new ConfigurationError(message);
    }
    throw error;
  }
}

export async function setupWasDone(appDatabaseUrl: string): Promise<boolean> {
  const { rows } = await withClient(appDatabaseUrl, (client) =>
    client.query("select gate.setup_done() as done"),
  );
  return rows[0].done;
}
