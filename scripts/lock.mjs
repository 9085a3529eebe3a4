/**
 * A lock that one process of a folder holds at a time. Plain JavaScript, since it is needed before packages
 * are installed.
 */
import {
  appendFileSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;

/**
 * Runs `work` while this process alone holds the lock file `path`, and returns its result. A holder that was
 * killed is replaced. So is a lock of another folder, since it came with a copy and its holder works there.
 * `onWait` gets the holder's process id once, if another process has to be waited for.
 * `work` gets a function that registers a child as a holder too, for a child that would go on if this process
 * were killed.
 * @template T
 * @param {string} path
 * @param {(holder: string) => void} onWait
 * @param {(alsoHeldBy: (pid: number) => void) => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  const draft = `${path}.${process.pid}`;
  const folder = JSON.stringify(realpathSync(dirname(path)));
  const own = `${folder}\n${identityOf(process.pid)}`;
  let waited = false;
  // A link appears whole or not at all, so every reader of the lock finds its folder and holder in it.
  writeFileSync(draft, own);
  try {
    while (!link(draft, path)) {
      const found = read(path);
      if (found === null) continue;
      const [heldIn, ...holders] = found.split("\n");
      const alive = heldIn === folder && holders.find(isAlive);
      if (!alive) {
        removeStale(path, found);
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
    if (read(path)?.split("\n").slice(0, 2).join("\n") === own) rmSync(path, { force: true });
  };
  // Releases the lock even if `work` ends the process.
  process.on("exit", release);
  try {
    return await work((pid) => appendFileSync(path, `\n${identityOf(pid)}`));
  } finally {
    process.off("exit", release);
    release();
  }
}

/**
 * Removes a lock that nobody holds. Two processes may find the same one, so the slower one restores a lock
 * that the quicker one took meanwhile.
 */
function removeStale(path, found) {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  if (read(aside) !== found) link(aside, path);
  rmSync(aside, { force: true });
}

/**
 * Whether the process that `identityOf` named still runs. For a bare process id only the id's existence is
 * checked.
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
 * Returns the process id with its time of start (on Linux), since process ids are reused, in containers soon.
 * The time is empty for a process that has ended, or of which only its exit code is left.
 * @param {number} pid
 * @returns {string}
 */
export function identityOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  // The fields from the state on; the 20th is the time of the start.
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
