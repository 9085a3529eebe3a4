/**
 * `node scripts/front-door/main.mjs [--report FILE]`: does a newcomer's first steps on a bare clone of this
 * folder's commit: `npm start`, sign in, decide, stop, start again; then as an ordinary user, over the
 * remains of earlier attempts. In a bare folder (in CI) it uses the folder itself, and leaves the
 * installation and the build for the tests. Plain JavaScript, since nothing is installed yet. Exits 1 at the
 * first fault; FILE gets the counts.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort, startIntray } from "./installation.mjs";
import { walkOverHttp } from "./walk-over-http.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({ options: { report: { type: "string" } } });

/** Folders that a clone lacks. */
const MADE = ["node_modules", ".next", "lib/generated", ".data"];

const scratch = mkdtempSync(join(tmpdir(), "intray-front-door-"));
const passed = [];
const undo = [() => rmSync(scratch, { recursive: true, force: true })];

async function check(name, work) {
  const startedAt = Date.now();
  process.stdout.write(`\n── ${name}\n`);
  await work();
  passed.push(name);
  process.stdout.write(`✓ ${name} (${Math.round((Date.now() - startedAt) / 1000)} s)\n`);
}

async function main() {
  const folder = bareClone();
  const environment = { PORT: String(await freePort()), INVOICE_PORT: String(await freePort()) };
  const url = `http://localhost:${environment.PORT}`;

  let intray = startIntray(folder, environment);
  undo.push(() => intray.killAll());
  await check(
    "another command beside the first start waits for it, and prints its result alone",
    async () => {
      await intray.says(/Installing packages/);
      const help = run(folder, ["npm", "run", "-s", "intray", "--", "help"], environment);
      assert.match(help.stderr, /^Waiting for process \d+, which prepares this folder …$/m);
      assert.match(help.stdout, /^npm run -s intray -- <command>\n/);
      assert.equal(help.status, 0);
    },
  );
  await check("npm start on a bare clone becomes ready", () => intray.ready(url));
  await check("over HTTP: sign-in, a task, its request, an approval, its end", () => walkOverHttp(url));
  await check("in a browser: sign-in, the first request, an approval, its end", () => {
    const walk = run(folder, ["node", "scripts/run.mjs", "scripts/front-door/walk-in-browser.ts", url], {});
    process.stdout.write(walk.stdout);
    assert.equal(walk.status, 0, walk.stderr);
  });
  await check("SIGTERM ends it, and nothing is left running", () => intray.stop());

  intray = startIntray(folder, environment);
  await check("the second start installs and builds nothing", async () => {
    await intray.ready(url);
    assert.doesNotMatch(intray.output(), /Installing|Generating|Building/);
    await intray.stop();
  });
  removeData(folder);

  if (process.getuid?.() === 0 && existsSync("/usr/sbin/useradd")) await asOrdinaryUser();
}

/** Returns this folder if nothing was made in it yet, else a clone of its commit. */
function bareClone() {
  if (MADE.every((path) => !existsSync(join(root, path)))) return root;
  const folder = join(scratch, "clone");
  clone(folder);
  return folder;
}

function clone(folder) {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, folder]);
}

/** Runs as an ordinary user whose home is read-only, in a clone with outdated packages in it. */
async function asOrdinaryUser() {
  const name = `intray-${process.pid}`;
  const home = join(scratch, "home");
  const folder = join(home, "intray");
  chmodSync(scratch, 0o755);
  mkdirSync(home);
  clone(folder);
  const stale = join(folder, "node_modules", "zod");
  mkdirSync(stale, { recursive: true });
  writeFileSync(join(stale, "package.json"), JSON.stringify({ name: "zod", version: "3.0.0" }));
  const ofThen = { packages: { "node_modules/zod": { version: "3.0.0" } } };
  writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify(ofThen));
  execFileSync("useradd", ["--system", "--no-create-home", "--home-dir", home, name]);
  undo.push(() => spawnSync("userdel", [name]));
  execFileSync("chown", ["-R", name, folder]);
  chmodSync(home, 0o555);
  const environment = {
    HOME: home,
    PORT: String(await freePort()),
    INVOICE_PORT: String(await freePort()),
    // The npm cache setting of root's own shell does not apply to an ordinary user.
    npm_config_cache: undefined,
  };
  const url = `http://localhost:${environment.PORT}`;

  let intray = startIntray(folder, environment, name);
  undo.push(() => intray.killAll());
  await check(
    "as an ordinary user: SIGTERM while it installs ends it, and nothing is left running",
    async () => {
      await intray.says(/Installing packages/);
      await intray.stop();
    },
  );
  intray = startIntray(folder, environment, name);
  await check("as an ordinary user: stale packages are replaced, with a read-only home", async () => {
    await intray.says(/The packages are installed/);
    assert.notEqual(versionOf(folder, "zod"), "3.0.0");
  });
  await check("killed in the middle of the build, it builds again", async () => {
    await intray.says(/Building the app/);
    await intray.until("the build is under way", () => existsSync(join(folder, ".next", "server")));
    await intray.killAll();
    assert.ok(!existsSync(join(folder, ".next", "intray-stamp")), "the build was over already");
    intray = startIntray(folder, environment, name);
    await intray.ready(url);
    assert.match(intray.output(), /Building the app/);
    assert.doesNotMatch(intray.output(), /Installing/);
  });
  await check("as an ordinary user: sign-in, a task, its request, an approval, its end", () =>
    walkOverHttp(url),
  );
  await check("as an ordinary user: SIGTERM ends it, and nothing is left running", () => intray.stop());
  await check("a changed lockfile is installed", () => {
    const lock = join(folder, "package-lock.json");
    const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    assert.equal(versionOf(folder, "clsx"), dependencies.clsx);
    const earlier = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "clsx@2.1.0"];
    const changed = run(folder, ["npm", ...earlier], {});
    assert.equal(changed.status, 0, changed.stderr);
    assert.equal(JSON.parse(readFileSync(lock, "utf8")).packages["node_modules/clsx"].version, "2.1.0");
    const help = run(folder, ["npm", "run", "-s", "intray", "--", "help"], environment, name);
    assert.equal(help.status, 0, help.stderr);
    assert.equal(versionOf(folder, "clsx"), "2.1.0");
  });
}

function versionOf(folder, name) {
  return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}

/** Runs a command to its end, synchronously. */
function run(cwd, command, environment, user) {
  const [program, ...args] = user ? ["setpriv", ...asUser(user), ...command] : command;
  return spawnSync(program, args, { cwd, env: { ...process.env, ...environment }, encoding: "utf8" });
}

function asUser(name) {
  return ["--reuid", name, "--regid", name, "--clear-groups"];
}

/**
 * Removes the data folder, and the cluster that a record places elsewhere, as when the Postgres account
 * cannot reach this folder.
 */
function removeData(folder) {
  const record = join(folder, ".data", "postgres.json");
  const { home } = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
  for (const path of [join(folder, ".data"), home]) if (path) rmSync(path, { recursive: true, force: true });
}

let failure;
try {
  await main();
} catch (error) {
  failure = error;
} finally {
  for (const step of undo.reverse()) await step();
}
const counts = { passed: passed.length, failed: failure ? 1 : 0, skipped: 0 };
const failures = failure ? [`The front door: ${failure.message}`] : [];
if (values.report) writeFileSync(values.report, JSON.stringify({ ...counts, failures }));
if (failure) {
  process.stdout.write(`\n${failure.stack}\n\n${counts.passed} passed, 1 failed, 0 skipped\n`);
  process.exit(1);
}
