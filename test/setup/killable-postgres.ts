/** A Postgres for one test file, to be killed with -9 and restarted on the same data and port. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecord } from "../../scripts/database/cluster.ts";
import { startEmbedded } from "../../scripts/database/embedded.ts";
import { prepareTemplate } from "./postgres.ts";

export interface KillablePostgres {
  /** Kills the server and so, since they notice its end, all its sessions. */
  kill(): Promise<void>;
  /** Restarts the server after the kill, through recovery. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts the server. From then on `createTestDatabase` of this test file makes its databases there. */
export async function startKillablePostgres(): Promise<KillablePostgres> {
  const folder = mkdtempSync(join(tmpdir(), "intray-killable-"));
  // Temporary data need not survive a power cut, but every commit has to survive a kill.
  const launch = () => startEmbedded(folder, { settings: ["fsync=off", "max_connections=200"] });
  let running = await launch();
  process.env.TEST_DATABASE_ADMIN_URL = running.superuserUrl;
  await prepareTemplate(running.superuserUrl);
  return {
    async kill() {
      process.kill(running.server.pid, "SIGKILL");
      await running.server.exited;
    },
    async start() {
      running = await launch();
    },
    async remove() {
      await running.server.stop("immediate");
      const elsewhere = readRecord(folder).home;
      for (const path of [folder, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
    },
  };
}
