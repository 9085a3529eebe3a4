/**
 * `npm test`: the checks, the unit and integration tests, a browser journey for each main capability, half a minute of chaos.
 * `npm test -- full`: the rest, which repeats or takes long. `npm test -- SUITE` runs one suite, `npm test -- changed`
 * the tests that a change reaches.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepCompiled } from "../test/setup/compile-cache.ts";
import { postgresForTests } from "../test/setup/global-setup.ts";
import { POOLED_LOGINS } from "../test/setup/postgres.ts";
import { build } from "./build/build.ts";
import { generate } from "./build/generate.ts";
import { killSteps } from "./child.ts";
import { findOrInstallChromium } from "./chromium.ts";
import { findOrInstallPgbouncer, startPooler } from "./test-run/pooler.ts";
import { Tally } from "./test-run/tally.ts";
import {
  changedFiles,
  choose,
  filesWithLongTests,
  lastDurations,
  readSources,
} from "./test-run/test-files.ts";
import {
  readEarlierReport,
  readPlaywrightReport,
  readVitestReport,
  type TagsFilter,
} from "./test-run/test-report.ts";

const reports = mkdtempSync(join(tmpdir(), "intray-reports-"));
const tally = new Tally();
let interrupted = false;

/** As much of a suite's stderr is repeated at the end where it failed without a failed test. */
const LAST_CHARACTERS = 4_000;
/** The suites of `npm test` and of `npm test -- full`, in their order. */
const QUICK = ["unit", "journeys", "chaos"];
const FULL = ["long", "pooled", "e2e", "long-chaos", "installation"];

async function main(command: string | undefined): Promise<void> {
  const suites = command === undefined ? QUICK : command === "full" ? FULL : [command];
  if (command !== "changed" && !suites.every((suite) => [...QUICK, ...FULL].includes(suite)))
    throw new Error(`Say nothing, \`full\`, \`changed\`, or one of: ${[...QUICK, ...FULL].join(", ")}.`);
  const wants = (...names: string[]) => names.some((name) => suites.includes(name));
  earlier();
  await generate(say);
  await keepCompiled();
  if (command === "changed") return changed();
  if (wants("unit")) await checks();
  // The build runs beside the tests without a browser, which often wait for servers and engines.
  const built = wants("journeys", "e2e") ? tryToBuild() : undefined;
  if (wants("unit")) await unit("Unit and integration tests", QUICK_PROJECTS, {}, "!full");
  if (wants("long")) {
    // A development server is tried in a browser.
    findOrInstallChromium(say);
    // Agents, frameworks and servers from the registries, which the first two parts do without.
    const installed = runQuietly(["test/setup/install-own-packages.ts"]);
    await unit("Long tests of other files", filesWithLongTests(), {}, "full");
    await unit("Fuzzing", ["fuzz"], { FUZZ_RUNS: "2000" });
    say((await installed).output);
    await unit("Tests that repeat or take long", ["--project", "full"]);
  }
  if (wants("pooled")) await pooled();
  // The chaos run kills and restarts processes. It waits more than it computes, so it runs beside the browsers.
  const chaos = wants("chaos") ? runQuietly(chaosOf(0.5)) : undefined;
  const part = command === "full" ? "others" : wants("journeys") ? "journeys" : null;
  if (built) await endToEnd(built, [], part ? { E2E_TESTS: part } : {});
  if (chaos) told("Chaos", await chaos);
  // An installation waits for the registry and for a build, so the long chaos runs beside it.
  const longChaos = wants("long-chaos") ? runQuietly(chaosOf(4)) : undefined;
  if (wants("installation")) await installation();
  if (longChaos) told("Long chaos", await longChaos);
}

/** All but the files that `npm test -- full` runs. */
const QUICK_PROJECTS = ["pure", "own", "shared"].flatMap((name) => ["--project", name]);
const chaosOf = (minutes: number) => ["scripts/chaos.ts", "--minutes", `${minutes}`, "--samples", "2"];

/** Adds the caller's earlier checks to the tally. */
function earlier(): void {
  const path = process.env.INTRAY_EARLIER_REPORT;
  if (path) tally.suite("What was checked before", 0, readEarlierReport(path));
}

async function changed(): Promise<void> {
  const changes = changedFiles();
  const { unit: files, left, e2e, needsBuild } = choose(changes, readSources(), lastDurations());
  await checks();
  const { changed: own = [], near = [] } = Object.groupBy(files, (file) =>
    changes.includes(file) ? "changed" : "near",
  );
  if (own.length > 0) await unit("Changed tests", own);
  if (near.length > 0) await unit("Tests near the change", near, {}, "!full");
  const canBrowse = !needsBuild && existsSync(".next/BUILD_ID");
  if (e2e.length > 0 && canBrowse) await endToEnd(tryToBuild(), e2e);
  if (left.length > 0)
    say(
      `\nLeft out for time: ${left.length} test files farther from the change; \`npm test -- unit\` runs all.`,
    );
  if (e2e.length > 0 && !canBrowse)
    say(`\nLeft out as they need a build:\n  npm run build && npm run test:e2e -- ${e2e.join(" ")}`);
}

/** Runs the checks in parallel; each output is shown when its check has ended. */
async function checks(): Promise<void> {
  const all: [name: string, args: string[]][] = [
    ["Format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "."]],
    ["Types", ["node_modules/typescript/bin/tsc", "--noEmit"]],
    ["Imports", ["scripts/check/check-imports.ts"]],
    ["Routes", ["scripts/check/check-routes.ts"]],
    ["Exports", ["scripts/check/check-exports.ts"]],
    ["Words", ["scripts/check/check-words.ts"]],
  ];
  const ran = all.map(async ([name, args]) => ({ name, ...(await runQuietly(args)) }));
  for (const { name, ...check } of await Promise.all(ran)) told(name, check);
}

function told(name: string, { code, output }: { code: number; output: string }): void {
  say(`\n── ${name}`);
  process.stdout.write(output);
  tally.check(name, code);
}

/** Runs the test files that Vitest finds by these arguments; with `tags`, only their tests with or without a tag. */
async function unit(
  name: string,
  args: string[],
  extra: Record<string, string> = {},
  tags?: TagsFilter,
): Promise<void> {
  const postgres = await postgresForTests();
  try {
    await vitest(name, name, args, { ...extra, TEST_DATABASE_ADMIN_URL: postgres.adminUrl }, tags);
  } finally {
    await postgres.stop();
  }
}

/** Runs the tests of all that reads, writes, locks, leases and notifies, behind PgBouncer in transaction mode. */
async function pooled(): Promise<void> {
  const name = "Tests behind PgBouncer in transaction mode";
  const program = findOrInstallPgbouncer((line) => say(`\n── ${name}\n${line}`));
  if (!program) return;
  const postgres = await postgresForTests();
  const pooler = await startPooler(program, postgres.adminUrl, POOLED_LOGINS);
  try {
    const named = pooler.keepsStatements ? "1" : "0";
    const title = `${name} (PgBouncer ${pooler.version}, INTRAY_NAMED_STATEMENTS=${named})`;
    await vitest(name, title, ["--config", "test/setup/pooled.config.ts"], {
      TEST_DATABASE_ADMIN_URL: postgres.adminUrl,
      TEST_POOLER: pooler.address,
      INTRAY_NAMED_STATEMENTS: named,
    });
  } finally {
    await pooler.stop();
    await postgres.stop();
  }
}

async function vitest(
  name: string,
  title: string,
  args: string[],
  extra: Record<string, string>,
  tags?: TagsFilter,
): Promise<void> {
  const report = join(reports, "vitest.json");
  const stray = join(reports, "stray-errors.json");
  for (const path of [report, stray]) rmSync(path, { force: true });
  const reporters = ["default", "json", "./test/setup/stray-errors.ts"].map((each) => `--reporter=${each}`);
  const filter = tags ? [`--tags-filter=${tags}`] : [];
  const { code, lastWords } = await run(
    title,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      ...args,
      ...filter,
      ...reporters,
      `--outputFile.json=${report}`,
    ],
    { ...extra, TEST_STRAY_ERRORS: stray },
  );
  tally.suite(name, code, readVitestReport(report, stray, tags), lastWords);
}

/** Installs and starts as an ordinary user, over the remains of earlier attempts. */
async function installation(): Promise<void> {
  const name = "Installation by an ordinary user";
  const report = join(reports, "installation.json");
  const { code, lastWords } = await run(name, ["scripts/front-door/ordinary-user.mjs", "--report", report]);
  tally.suite(name, code, existsSync(report) ? readEarlierReport(report) : null, lastWords);
}

/** Returns null, or why the build failed. */
function tryToBuild(): Promise<Error | null> {
  return build(say).then(
    () => null,
    (error: Error) => error,
  );
}

/** Runs the browser tests that Playwright finds by these arguments: all, or the part that `E2E_TESTS` names. */
async function endToEnd(
  built: Promise<Error | null>,
  args: string[],
  extra: Record<string, string> = {},
): Promise<void> {
  const name = "Browser tests";
  const failed = await built;
  if (failed) {
    say(failed.message);
    return tally.suite(name, 1, null);
  }
  tally.check("Sizes of pages", (await run("Sizes of pages", ["scripts/check/check-sizes.ts"])).code);
  if (!findOrInstallChromium(say)) return tally.suite(name, 1, null);
  const report = join(reports, "playwright.json");
  const { code, lastWords } = await run(name, ["node_modules/@playwright/test/cli.js", "test", ...args], {
    ...extra,
    E2E_REPORT: report,
  });
  tally.suite(name, code, readPlaywrightReport(report), lastWords);
}

/**
 * Runs a suite in our process group and on our terminal, so that Ctrl-C stops it too. `lastWords`: the end of what it said
 * on stderr.
 */
function run(
  name: string,
  args: string[],
  extra: Record<string, string> = {},
): Promise<{ code: number; lastWords: string }> {
  if (interrupted) throw new Error("Interrupted.");
  say(`\n── ${name}`);
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...process.env, ...extra },
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (words: string) => {
    process.stderr.write(words);
    lastWords = (lastWords + words).slice(-LAST_CHARACTERS);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    // Not "close": what a suite left running may hold its stderr.
    child.on("exit", (code) => resolve({ code: code ?? 1, lastWords }));
  });
}

function runQuietly(args: string[]): Promise<{ code: number; output: string }> {
  if (interrupted) throw new Error("Interrupted.");
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Ctrl-C also reaches the running suite: it ends, no other begins, and processes started here are stopped.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    interrupted = true;
    killSteps();
  });

try {
  await main(process.argv[2]);
} catch (error) {
  tally.failure((error as Error).message);
} finally {
  rmSync(reports, { recursive: true, force: true });
}
say(tally.summary());
process.exit(tally.failed ? 1 : 0);
