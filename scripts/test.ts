/**
 * `npm test`: the checks, the unit and integration tests, the end-to-end tests, a minute of chaos;
 * `npm test -- unit|e2e|chaos` runs a part.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepCompiled } from "../lib/testing/compile-cache.ts";
import { postgresForTests } from "../lib/testing/global-setup.ts";
import { build } from "./build.ts";
import { findOrInstallChromium } from "./chromium.ts";
import { generate } from "./generate.ts";
import { type Counts, type Report, readPlaywrightReport, readVitestReport } from "./test-report.ts";

const reports = mkdtempSync(join(tmpdir(), "intray-reports-"));
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };
/** Said again at the end, where somebody who comes later looks first. */
const failures: string[] = [];
let interrupted = false;

const parts = ["unit", "e2e", "chaos"];

async function main(part: string | undefined): Promise<void> {
  if (part !== undefined && !parts.includes(part))
    throw new Error("Say `unit`, `e2e`, `chaos`, or nothing for all.");
  const wants = (name: string) => part === undefined || part === name;
  await generate(say);
  await keepCompiled();
  if (wants("unit")) {
    await check("Format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "."]);
    await check("Types", ["node_modules/typescript/bin/tsc", "--noEmit"]);
    await check("Imports", ["scripts/check-imports.ts"]);
    await check("Routes", ["scripts/check-routes.ts"]);
    await unit();
  }
  if (wants("e2e")) await endToEnd();
  if (wants("chaos")) await check("Chaos", ["scripts/chaos.ts", "--minutes", "1", "--samples", "2"]);
}

async function unit(): Promise<void> {
  const postgres = await postgresForTests();
  try {
    const report = join(reports, "vitest.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await run(
      "Unit and integration tests",
      ["node_modules/vitest/vitest.mjs", "run", ...reporters],
      {
        TEST_DATABASE_ADMIN_URL: postgres.adminUrl,
      },
    );
    take("Unit and integration tests", code, readVitestReport(report));
  } finally {
    await postgres.stop();
  }
}

async function endToEnd(): Promise<void> {
  const name = "End-to-end tests";
  try {
    await build(say);
  } catch (error) {
    say((error as Error).message);
    return count(name, 1, NOTHING);
  }
  await check("Sizes of pages", ["scripts/check-sizes.ts"]);
  if (!findOrInstallChromium(say)) return count(name, 1, NOTHING);
  const report = join(reports, "playwright.json");
  const code = await run(name, ["node_modules/@playwright/test/cli.js", "test"], { E2E_REPORT: report });
  take(name, code, readPlaywrightReport(report));
}

/** A check is one test. */
async function check(name: string, args: string[]): Promise<void> {
  const code = await run(name, args);
  count(name, code, { passed: code === 0 ? 1 : 0, failed: 0, skipped: 0 });
}

function take(name: string, code: number, report: Report | null): void {
  failures.push(...(report?.failures ?? []));
  count(name, code, report?.counts ?? NOTHING);
}

/** A suite that fails without a failed test (it crashed, or ran nothing) is one failure. */
function count(name: string, code: number, { passed, failed, skipped }: Counts): void {
  const broken = failed === 0 && (code !== 0 || passed === 0);
  if (broken) failures.push(`${name}: ${code === 0 ? "no test ran" : `failed with code ${code}`}`);
  total.passed += passed;
  total.failed += failed + (broken ? 1 : 0);
  total.skipped += skipped;
}

/** In our process group and on our terminal, so that Ctrl-C stops it too. */
function run(name: string, args: string[], extra: Record<string, string> = {}): Promise<number> {
  if (interrupted) throw new Error("Interrupted.");
  say(`\n── ${name}`);
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...extra },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Ctrl-C reaches the suite that runs too: it ends, no other begins, and what was started here is stopped.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => (interrupted = true));

try {
  await main(process.argv[2]);
} catch (error) {
  failures.push((error as Error).message);
  total.failed += 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
if (failures.length > 0) say(`\n── What failed\n${failures.join("\n")}`);
say(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed ? 1 : 0);
