/**
 * The frame of a walk through the front door: named checks with their times, commands, clean-up and the
 * report. Plain JavaScript, since nothing is installed yet.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { asUser } from "./installation.mjs";

/** The folder of this project. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** A folder for clones, which is removed at the end. */
export const scratch = mkdtempSync(join(tmpdir(), "intray-front-door-"));

const passed = [];
const cleanUps = [() => rmSync(scratch, { recursive: true, force: true })];

/**
 * Runs `walk` to its end or its first fault, cleans up, and ends this process: with 1 after a fault. `--report
 * FILE` on the command line gets the counts, and the last line says them.
 * @param {string} title the report's name for the walk
 * @param {() => Promise<void>} walk
 */
export async function runWalk(title, walk) {
  const { values } = parseArgs({ options: { report: { type: "string" } } });
  const interrupted = new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"])
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  });
  let failure = null;
  try {
    await Promise.race([walk(), interrupted]);
  } catch (error) {
    failure = error;
  }
  for (const cleanUp of cleanUps.reverse()) {
    try {
      await cleanUp();
    } catch (error) {
      failure ??= error;
    }
  }
  const counts = { passed: passed.length, failed: failure ? 1 : 0, skipped: 0 };
  const failures = failure ? [`${title}: ${failure.message}`] : [];
  if (values.report) writeFileSync(values.report, JSON.stringify({ ...counts, failures }));
  if (failure) process.stdout.write(`\n${failure.stack}\n`);
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, 0 skipped\n`);
  process.exit(failure ? 1 : 0);
}

/** Runs one check, and says its name and seconds. */
export async function check(name, work) {
  const startedAt = Date.now();
  process.stdout.write(`\n── ${name}\n`);
  await work();
  passed.push(name);
  process.stdout.write(`✓ ${name} (${Math.round((Date.now() - startedAt) / 1000)} s)\n`);
}

/** Registers a step of the clean-up. The last one registered runs first. */
export function atEnd(cleanUp) {
  cleanUps.push(cleanUp);
}

/** Clones this project's commit. */
export function clone(folder) {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, folder]);
}

/**
 * Runs a command to its end, as `user` if given.
 * @param {string} cwd
 * @param {string[]} command
 * @param {Record<string, string | undefined>} [environment]
 * @param {string} [user]
 * @returns {Promise<{ status: number | null, stdout: string, stderr: string }>}
 */
export function run(cwd, command, environment = {}, user) {
  const [program, ...args] = asUser(user, command);
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...said }));
  });
}

/**
 * Removes the data folder, and the cluster that a record places elsewhere, as when the Postgres account
 * cannot reach this folder.
 */
export function removeData(folder) {
  const record = join(folder, ".data", "postgres.json");
  const { home } = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
  for (const path of [join(folder, ".data"), home]) if (path) rmSync(path, { recursive: true, force: true });
}
