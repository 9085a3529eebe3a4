import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { ConfigurationError } from "../../lib/base/env.ts";
import { runStep } from "../child.ts";
import { withLock } from "../lock.mjs";
import { databaseClient, hashOf, readStamp } from "../stamp.mjs";
import { machineEnvironment } from "../supervise/settings.ts";
import { generate } from "./generate.ts";
import { withProgress } from "./progress.mjs";

const stamp = ".next/intray-stamp";
const lock = ".build.lock";

/**
 * Generates and builds whatever changed since the last time. Of two simultaneous calls the second waits, and
 * finds the build done.
 */
export async function build(say: (line: string) => void): Promise<void> {
  if (databaseClient.isCurrent() && isBuilt()) return;
  await withProgress("Still building the app", say, () =>
    withLock(
      lock,
      (holder) => say(`Waiting for process ${holder}, which builds the app …`),
      () => buildAlone(say),
    ),
  );
}

async function buildAlone(say: (line: string) => void): Promise<void> {
  await generate(say);
  if (isBuilt()) return;
  say("Building the app: one or two minutes, once, and again when its sources change …");
  const startedAt = Date.now();
  rmSync(stamp, { force: true });
  // A route that does not declare its permission must not be built.
  await runStep("the check of routes", ["scripts/check/check-routes.ts"], machineEnvironment());
  await runStep("next build", ["node_modules/next/dist/bin/next", "build"], machineEnvironment());
  if (!existsSync(".next/BUILD_ID")) throw new ConfigurationError("next build ended before it was done.");
  writeFileSync(stamp, wanted());
  say(`The app is built, after ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

function isBuilt(): boolean {
  return existsSync(".next/BUILD_ID") && readStamp(stamp) === wanted();
}

/** One hash of the app's sources. */
function wanted(): string {
  return hashOf(sources(), (path) => /\.test\.tsx?$/.test(path));
}

/** The app's folders, and every file at the top, where frameworks keep their settings. */
function sources(): string[] {
  const top = readdirSync(".", { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = top.map((entry) => entry.name).filter((name) => /\.(json|js|mjs|ts)$/.test(name));
  const unrelated = ["next-env.d.ts", "vitest.config.ts", "playwright.config.ts", "biome.json"];
  return ["app", "components", "lib", "public", ...names.filter((name) => !unrelated.includes(name))];
}

if (import.meta.main) await build((line) => process.stdout.write(`${line}\n`));
