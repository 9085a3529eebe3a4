/** A lock that one process of a folder holds at a time. Plain JavaScript: it is needed before any package is there. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;

/**
 * Runs `work` while this process alone holds the lock file `path`, and returns what it returns. A holder that was killed
 * is replaced. `onWait` gets the holder's process id once, where another process has to be waited for.
 * @template T
 * @param {string} path
 * @param {(holder: string) => void} onWait
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  const draft = `${path}.${process.pid}`;
  let waited = false;
  // A link is made whole or not at all: whoever finds the lock can read who holds it.
  writeFileSync(draft, identity(process.pid));
  try {
    while (!link(draft, path)) {
      const holder = read(path);
      if (holder === null) continue;
      if (!lives(holder)) {
        removeDead(path, holder);
        continue;
      }
      if (!waited) onWait(String(pidOf(holder)));
      waited = true;
      await sleep(POLL_MS);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const release = () => {
    if (read(path) === identity(process.pid)) rmSync(path, { force: true });
  };
  // Also where `work` ends the process.
  process.on("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/** Two processes may find the same dead holder: what the slower one takes away may be the quicker one's lock by then. */
function removeDead(path, holder) {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  if (read(aside) !== holder) link(aside, path);
  rmSync(aside, { force: true });
}

function lives(holder) {
  const pid = pidOf(holder);
  if (pid === process.pid) return holder === identity(pid);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return false;
  }
  return holder === identity(pid);
}

const pidOf = (holder) => Number(holder.split(" ")[0]);

/** Process ids are used again, in containers soon: on Linux the time of its start tells one process from the next. */
function identity(pid) {
  const stat = read(`/proc/${pid}/stat`);
  const startedAt = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return `${pid} ${startedAt}`;
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
