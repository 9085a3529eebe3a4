import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeLiteral } from "pg";
import { readRecord } from "../../scripts/database/cluster.ts";
import { startEmbedded } from "../../scripts/database/embedded.ts";
import { withClient } from "../../scripts/database/roles.ts";
import { keepCompiled } from "./compile-cache.ts";
import { prepareTemplate } from "./postgres.ts";

/** Vitest's global setup: one Postgres for the run, with one migrated template for all test databases. */
export default async function setup(): Promise<() => Promise<void>> {
  await keepCompiled();
  const { adminUrl, stop } = await postgresForTests();
  process.env.TEST_DATABASE_ADMIN_URL = adminUrl;
  const dropTemplate = await prepareTemplate(adminUrl);
  return async () => {
    await dropTemplate();
    await stop();
  };
}

/** Returns the Postgres of TEST_DATABASE_ADMIN_URL (a superuser's), else an embedded one for the run. */
export async function postgresForTests(): Promise<{ adminUrl: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_ADMIN_URL;
  if (given) return { adminUrl: given, stop: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), "intray-test-"));
  const sockets = mkdtempSync(join(tmpdir(), "intray-sockets-"));
  // Postgres may run as another account, and requires a password here too.
  chmodSync(sockets, 0o1777);
  const settings = [
    // Temporary data need not survive a power cut. The tests of crashes start Intray itself, which keeps
    // these on.
    ...["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=500"],
    `unix_socket_directories=${sockets}`,
    // A password hashed 4,096 times costs each of thousands of connections milliseconds.
    "scram_iterations=1",
  ];
  const { server, superuserUrl, secrets } = await startEmbedded(folder, { settings });
  // Set before these settings were.
  await withClient(superuserUrl, (client) =>
    client.query(`alter role postgres password ${escapeLiteral(secrets.superuserPassword)}`),
  );
  return {
    // A query over a Unix socket takes a third less CPU time than one over TCP.
    adminUrl: superuserUrl.replace("@127.0.0.1:", `@${encodeURIComponent(sockets)}:`),
    async stop() {
      await server.stop("immediate");
      const elsewhere = readRecord(folder).home;
      for (const path of [folder, sockets, elsewhere])
        if (path) rmSync(path, { recursive: true, force: true });
    },
  };
}
