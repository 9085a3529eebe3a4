/** Runs Intray by `npm start`, with all its processes in view. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { identityOf, isAlive, pidOf } from "../lock.mjs";

/** Longer than a slow and busy machine needs to install and build. */
const PATIENCE_MS = 20 * 60_000;
/** Longer than a drain takes. */
const STOP_MS = 60_000;

/**
 * Runs `npm start` in a folder, in its own process group, as `user` if given.
 * @param {string} folder
 * @param {Record<string, string | undefined>} environment
 * @param {string} [user]
 */
export function startIntray(folder, environment, user) {
  const [program, ...args] = asUser(user, ["npm", "start"]);
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  let ended = null;
  child.once("exit", (code, signal) => (ended = signal ?? code));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      output += text;
      process.stdout.write(text.replace(/^(?=.)/gm, "    "));
    });
  }
  /** Every process ever seen below it, by id and time of start, since some outlive their parent. */
  const seen = new Set();
  const watch = setInterval(() => note(child.pid, seen), 200);

  const until = async (what, look) => {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await look())) {
      assert.equal(ended, null, `npm start ended (${ended}) before ${what}:\n${output}`);
      assert.ok(Date.now() < deadline, `never happened: ${what}`);
      await sleep(100);
    }
  };
  const left = () => [...seen].filter(isAlive);
  const forget = () => clearInterval(watch);

  return {
    until,
    output: () => output,
    says: (pattern) => until(`it says ${pattern}`, () => pattern.test(output)),
    /** Waits until web, database and engine work together, and the output says so. */
    async ready(url) {
      await until(`${url}/readyz is well`, async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok);
      await until("it says so", () => output.includes(`Intray is ready after`));
      note(child.pid, seen);
    },
    /** Sends SIGTERM as a service manager does; afterwards none of its processes may be left. */
    async stop() {
      note(child.pid, seen);
      assert.ok(seen.size > 2, `where are its processes? ${[...seen]}`);
      child.kill("SIGTERM");
      for (const deadline = Date.now() + STOP_MS; left().length > 0 && Date.now() < deadline; )
        await sleep(100);
      forget();
      assert.deepEqual(left().map(commandOf), [], "still running");
    },
    /** Sends SIGKILL to all processes that are left. */
    async killAll() {
      note(child.pid, seen);
      forget();
      for (const identity of left()) {
        try {
          process.kill(pidOf(identity), "SIGKILL");
        } catch (error) {
          if (error.code !== "ESRCH") throw error;
        }
      }
      for (const deadline = Date.now() + 10_000; left().length > 0 && Date.now() < deadline; )
        await sleep(100);
    },
  };
}

/**
 * Returns the command line that runs a command as `user`, or as the caller if none is given.
 * @param {string | undefined} user
 * @param {string[]} command
 */
export function asUser(user, command) {
  if (!user) return command;
  return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", ...command];
}

/** Returns a port of loopback that is free now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Adds the processes that descend from `root`, itself included. */
export function note(root, seen) {
  const children = new Map();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(entry);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const todo = [root];
  for (const pid of todo) {
    const identity = identityOf(pid);
    if (isAlive(identity)) seen.add(identity);
    todo.push(...(children.get(pid) ?? []));
  }
}

/** Returns the parent's id, or null if the process has ended. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return null;
    throw error;
  }
}

function commandOf(identity) {
  const pid = pidOf(identity);
  try {
    return `${pid}: ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
  } catch {
    return identity; // ended just now
  }
}
