import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../../lib/base/env.ts";
import { type EmbeddedPostgres, startEmbedded } from "../database/embedded.ts";
import { withClient } from "../database/roles.ts";
import { migrate } from "../migrate.ts";
import { print } from "./part.ts";

/** The embedded Postgres, restarted when it dies. */
export type KeptPostgres = EmbeddedPostgres & { stop(mode: "fast" | "immediate"): Promise<void> };

/** How long a restart is tried. */
const PATIENCE_MS = 120_000;

/**
 * Starts Postgres and keeps it running on the same port, by which the other parts know it. `giveUp` is called
 * when it can't be restarted.
 */
export async function keepPostgres(dataDir: string, giveUp: (why: string) => void): Promise<KeptPostgres> {
  const first = await startEmbedded(dataDir, { detached: true });
  let server = first.server;
  let stopping = false;
  const running = keepRunning().catch((error) => giveUp(error.message));

  async function keepRunning(): Promise<void> {
    for (;;) {
      await server.exited;
      if (stopping) return;
      print("postgres", "ended unexpectedly; starting it again");
      await sleep(200);
      if (stopping) return;
      const back = await startAgain();
      if (!back) return;
      server = back;
      if (stopping) return await server.stop("fast");
      print("postgres", "is back");
    }
  }

  /** Restarts Postgres, again if killed before it has recovered. Returns null if no longer needed. */
  async function startAgain(): Promise<EmbeddedPostgres["server"] | null> {
    for (const deadline = Date.now() + PATIENCE_MS; ; ) {
      try {
        return (await startEmbedded(dataDir, { detached: true, keepPort: true })).server;
      } catch (error) {
        if (stopping) return null;
        if (Date.now() > deadline) throw error;
        print("postgres", "did not start; trying again");
        await sleep(500);
      }
    }
  }

  return {
    ...first,
    async stop(mode) {
      stopping = true;
      await server.stop(mode);
      // Stops a server that is just being started, too; an immediate stop leaves that one to the next start.
      if (mode === "fast") await running;
    },
  };
}

/** Throws ConfigurationError, without the URL, which may contain a password. */
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
    // The script's own errors have a code in words; an unexpected error keeps its stack.
    const { code, message } = error as { code?: string; message: string };
    if (["database_newer", "database_older", "migration_changed", "migration_failed"].includes(code ?? "")) {
      throw new ConfigurationError(message);
    }
    throw error;
  }
}

/** `done`: /setup was completed, which ended the demonstration. `possible`: no real organization exists. */
export async function readSetup(appDatabaseUrl: string): Promise<{ done: boolean; possible: boolean }> {
  const { rows } = await withClient(appDatabaseUrl, (client) =>
    client.query("select gate.setup_done() as done, gate.setup_possible() as possible"),
  );
  return rows[0];
}
