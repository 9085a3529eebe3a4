import { rmSync, writeFileSync } from "node:fs";
import { runStep } from "../child.ts";
import { databaseClient } from "../stamp.mjs";
import { machineEnvironment } from "../supervise/settings.ts";
import { writeApiPaths } from "./api-paths.mjs";

/**
 * Writes the list of routes, and generates the Prisma client if its schema or Prisma itself changed since the last time. Imports nothing
 * that imports the client: bootstrap.mjs runs this before every command of package.json.
 */
export async function generate(say: (line: string) => void): Promise<void> {
  writeApiPaths();
  if (databaseClient.isCurrent()) return;
  say("Generating the database client …");
  rmSync(databaseClient.stamp, { force: true });
  await runStep("prisma generate", ["node_modules/prisma/build/index.js", "generate"], {
    ...machineEnvironment(),
    CHECKPOINT_DISABLE: "1",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    // Generating needs no engine, yet would download one. For this child alone: with a stand-in for the
    // engine, `prisma migrate` and `db push` would do nothing and report success.
    PRISMA_SCHEMA_ENGINE_BINARY: process.platform === "darwin" ? "/usr/bin/true" : "/bin/true",
  });
  writeFileSync(databaseClient.stamp, databaseClient.wanted());
}

if (import.meta.main) await generate((line) => process.stderr.write(`${line}\n`));
