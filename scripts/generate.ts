import { existsSync, writeFileSync } from "node:fs";
import { runStep } from "./child.ts";
import { hashOf, readStamp } from "./stamp.ts";
import { machineEnvironment } from "./supervise/settings.ts";

const output = "lib/generated/prisma";
const stamp = `${output}/.stamp`;

/** Makes the Prisma client, when its schema or Prisma itself changed since the last time. */
export async function generate(say: (line: string) => void): Promise<void> {
  const wanted = hashOf(["prisma/schema.prisma", "prisma.config.ts", "node_modules/prisma/package.json"]);
  if (existsSync(`${output}/client.ts`) && readStamp(stamp) === wanted) return;
  say("Generating the database client …");
  await runStep("prisma generate", ["node_modules/prisma/build/index.js", "generate"], {
    ...machineEnvironment(),
    CHECKPOINT_DISABLE: "1",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    // Generating needs no engine, yet would download one. For this child alone: with a stand-in for the engine,
    // `prisma migrate` and `db push` would do nothing and say that all is well.
    PRISMA_SCHEMA_ENGINE_BINARY: process.platform === "darwin" ? "/usr/bin/true" : "/bin/true",
  });
  writeFileSync(stamp, wanted);
}

if (import.meta.main) await generate((line) => process.stdout.write(`${line}\n`));
