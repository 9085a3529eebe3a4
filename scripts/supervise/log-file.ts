import { closeSync, existsSync, openSync, renameSync, writeSync } from "node:fs";

/** The file and the one before it take twice as much. */
const MOST_BYTES = 20 * 1024 * 1024;

/**
 * Begins a log file for the owner's eyes, and keeps the one before it as `<path>.1`. Returns a function that appends a line. If the file
 * can't be written any more, the function says so once: a full disk must not stop what is logged.
 */
export function openLog(
  path: string,
  complain: (line: string) => void,
  mostBytes = MOST_BYTES,
): (line: string) => void {
  let file: number | null = begin();
  let bytes = 0;

  function begin(): number {
    if (existsSync(path)) renameSync(path, `${path}.1`);
    return openSync(path, "w", 0o600);
  }

  return (line) => {
    if (file === null) return;
    try {
      if (bytes >= mostBytes) {
        closeSync(file);
        file = begin();
        bytes = 0;
      }
      bytes += writeSync(file, `${line}\n`);
    } catch (error) {
      file = null;
      complain(`${path} can't be written any more (${(error as NodeJS.ErrnoException).code}).`);
    }
  };
}
