/** A lock that one process of a folder holds at a time. Plain JavaScript: it is needed before any package is there. */
import { appendFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;

/**
 * Runs `work` while this process alone holds the lock file `path`, and returns what it returns. A holder that was killed
 * is replaced. `onWait` gets the holder's process id once, where another process has to be waited for. `work` gets a
 * function that names a child as a holder too: one that goes on by itself, should this process be killed.
 * @template T
 * @param {string} path
 * @param {(holder: string) => void} onWait
 * @param {(alsoHeldBy: (pid: number) => void) => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  const draft = `${path}.${process.pid}`;
  let waited = false;
  // A link is made whole or not at all: whoever finds the lock can read who holds it.
  writeFileSync(draft, identityOf(process.pid));
  try {
    while (!link(draft, path)) {
      const holders = read(path);
      if (holders === null) continue;
      const alive = holders.split("\n").find(isAlive);
      if (!alive) {
        removeDead(path, holders);
        continue;
      }
      if (!waited) onWait(String(pidOf(alive)));
      waited = true;
      await sleep(POLL_MS);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const release = () => {
    if (read(path)?.split("\n")[0] === identityOf(process.pid)) rmSync(path, { force: true });
  };
  // Also where `work` ends the process.
  process.on("exit", release);
  try {
    return await work((pid) => appendFileSync(path, `\n${identityOf(pid)}`));
  } finally {
    process.off("exit", release);
    release();
  }
}

/** Two processes may find the same dead holder: what the slower one takes away may be the quicker one's lock by then. */
function removeDead(path, holders) {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  if (read(aside) !== holders) link(aside, path);
  rmSync(aside, { force: true });
}

/**
 * Whether the process that `identityOf` named runs still. Of one that is named by its number alone only that is known.
 * @param {string} identity
 * @returns {boolean}
 */
export function isAlive(identity) {
  const pid = pidOf(identity);
  if (!identity.includes(" ")) return pid !== process.pid && exists(pid);
  const hasEnded = process.platform === "linux" && identity.endsWith(" ");
  return !hasEnded && exists(pid) && identityOf(pid) === identity;
}

function exists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * @param {string} identity
 * @returns {number}
 */
export const pidOf = (identity) => Number(identity.split(" ")[0]);

/**
 * Process ids are used again, in containers soon: on Linux the time of its start tells one process from the next. Of a
 * process that has ended, also where only its exit code is left of it, there is none.
 * @param {number} pid
 * @returns {string}
 */
export function identityOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  // From the state on; the 20th field is the time of the start.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return `${pid} ${fields[0] === "Z" ? "" : (fields[19] ?? "")}`;
}

function link(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return null;
    throw error;
  }
}
