import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runStep } from "./child.ts";
import { generate } from "./generate.ts";
import { hashOf, readStamp } from "./stamp.ts";
import { machineEnvironment } from "./supervise/settings.ts";

const stamp = ".next/intray-stamp";
const lock = "node_modules/.intray-build";

/** Generates and builds what changed since the last time. Two starts at once build one after the other. */
export async function build(say: (line: string) => void): Promise<void> {
  const unlock = await takeLock(say);
  try {
    await generate(say);
    const wanted = hashOf(sources(), (path) => /\.test\.tsx?$|^lib\/testing\//.test(path));
    if (existsSync(".next/BUILD_ID") && readStamp(stamp) === wanted) return;
    say("Building the app (once, and again when its sources change) …");
    rmSync(stamp, { force: true });
    // A route that says not who may call it is not built.
    await runStep("the check of routes", ["scripts/check-routes.ts"], machineEnvironment());
    await runStep("next build", ["node_modules/next/dist/bin/next", "build"], machineEnvironment());
    writeFileSync(stamp, wanted);
  } finally {
    unlock();
  }
}

/** Folders that the app is made of, and every file at the top, where frameworks put their settings. */
function sources(): string[] {
  const top = readdirSync(".", { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = top.map((entry) => entry.name).filter((name) => /\.(json|js|mjs|ts)$/.test(name));
  const unrelated = ["next-env.d.ts", "vitest.config.ts", "playwright.config.ts", "biome.json"];
  return ["app", "components", "lib", "public", ...names.filter((name) => !unrelated.includes(name))];
}

/** A folder is made by one process alone; it names its maker, so that a killed one's is taken over. */
async function takeLock(say: (line: string) => void): Promise<() => void> {
  let waited = false;
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(`${lock}/pid`, String(process.pid));
      return () => rmSync(lock, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (!holderLives()) rmSync(lock, { recursive: true, force: true });
    else if (!waited) say("Waiting for another start that is building …");
    waited = true;
    await sleep(300);
  }
}

function holderLives(): boolean {
  if (!existsSync(`${lock}/pid`)) return true;
  try {
    process.kill(Number(readFileSync(`${lock}/pid`, "utf8")), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

if (import.meta.main) await build((line) => process.stdout.write(`${line}\n`));
