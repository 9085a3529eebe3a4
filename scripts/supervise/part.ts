import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** A process of ours that is kept running. */
export type Part = {
  /** Asks the process to finish its work, and waits for its end. */
  drain(): Promise<void>;
  /** Kills the process at once. */
  kill(): void;
};

/** How a process ends that has finished its work. */
const DRAINED = "code 0";
const firstDelayMs = 200;
const longestDelayMs = 10_000;
/** After this uptime a part counts as healthy, and the restart delay is reset. */
const healthyMs = 30_000;

/** The pause after each time that a part is asked, and after how many without an answer it is ended: 10 s of silence. */
const askedMs = 1_000;
const mostSilences = 5;
/** Silences that do not count, since the machine gives the part no time: a minute. */
const mostStarved = 30;

interface Options {
  /** Imported before the script. */
  preload?: string;
  /** Asks the part whether it works. Resolves within about a second. */
  answers?: () => Promise<boolean>;
}

/**
 * Runs a TypeScript file with our own Node, and restarts it when it ends by itself, with growing delays, or no longer
 * answers though it did.
 */
export function startPart(
  name: string,
  script: string,
  environment: NodeJS.ProcessEnv,
  { preload, answers }: Options = {},
): Part {
  const stopping = new AbortController();
  let child: ChildProcess;
  const ended = keepRunning();

  async function keepRunning(): Promise<void> {
    let delay = firstDelayMs;
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      const end = await runOnce();
      if (stopping.signal.aborted) return;
      if (Date.now() - startedAt > healthyMs || end === DRAINED) delay = firstDelayMs;
      print(name, `ended (${end}); starting it again in ${delay / 1000} s`);
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => {}); // stopped meanwhile
      delay = Math.min(delay * 2, longestDelayMs);
    }
  }

  function runOnce(): Promise<string> {
    // In our process group, so that a kill of the group takes it too; with a channel, whose end tells it that
    // we are gone.
    const args = [...(preload ? ["--import", preload] : []), script];
    child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe", "ipc"], env: environment });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => print(name, line));
    }
    if (answers) void endWhenSilent(child, answers);
    return new Promise((resolve) => {
      child.on("error", (error) => resolve(error.message));
      child.on("exit", (code, signal) => resolve(signal ?? `code ${code}`));
    });
  }

  /** Counts silences instead of time, which passes for a machine that sleeps too. One that starts has all the time it needs. */
  async function endWhenSilent(running: ChildProcess, answers: () => Promise<boolean>): Promise<void> {
    const isOver = () => stopping.signal.aborted || running.exitCode !== null || running.signalCode !== null;
    for (let isUp = false, silences = 0, starved = 0; !isOver(); ) {
      const before = readUse(running.pid!);
      await sleep(askedMs, undefined, { ref: false });
      const hasAnswered = await answers();
      isUp ||= hasAnswered;
      if (hasAnswered) [silences, starved] = [0, 0];
      else if (starved < mostStarved && isStarved(before, readUse(running.pid!))) starved++;
      else silences++;
      if (!isUp || silences < mostSilences || isOver()) continue;
      print(name, `no longer answers; ending it`);
      running.kill("SIGKILL");
      return;
    }
  }

  return {
    async drain() {
      stopping.abort();
      // It may have ended already, or end before it reads the message; either is fine.
      if (child.connected) child.send({ type: "drain" }, () => {});
      await ended;
    },
    kill() {
      stopping.abort();
      child.kill("SIGKILL");
    },
  };
}

/** What a process had of the processor, and whether it wants more. */
export interface Use {
  /** Of its main thread, in ms. */
  usedMs: number;
  /** It would run if it were given time: neither asleep nor stopped. */
  wantsTime: boolean;
  at: number;
}

/** Returns the use of the processor by a process's main thread, or null where Linux does not tell. */
export function readUse(pid: number): Use | null {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
    // The name before may have any characters (proc(5)); of what follows, the 12th and 13th are ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const usedMs = (Number(fields[11]) + Number(fields[12])) * 10;
    return { usedMs, wantsTime: fields[0] === "R", at: performance.now() };
  } catch {
    return null;
  }
}

/** Whether a process wanted to run and had less than half of the time: its silence is the machine's. */
export function isStarved(before: Use | null, after: Use | null): boolean {
  if (!before || !after?.wantsTime) return false;
  return after.usedMs - before.usedMs < (after.at - before.at) / 2;
}

let keep = (_line: string): void => {};

/** Hands every line that is printed from now on to `append` too, also those that a terminal does not show. */
export function keepLines(append: (line: string) => void): void {
  keep = append;
}

/** Prints a line of a part. A file or a collector gets all of them, unchanged. */
export function print(name: string, line: string): void {
  keep(`[${name}] ${line}`);
  const text = process.stdout.isTTY ? readable(line, Boolean(process.env.LOG_LEVEL)) : line;
  if (text !== null) process.stdout.write(`[${name}] ${text}\n`);
}

const WARNING = 40;
const ERROR = 50;

/**
 * Turns a log line into one line of words for a terminal. Returns null for less than a warning, since the address
 * and the setup token would scroll away, unless `everything` is asked for.
 */
export function readable(line: string, everything: boolean): string | null {
  if (!line.startsWith('{"level":')) return line;
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level: number;
      msg?: string;
      err?: { message?: string };
    };
    if (level < WARNING && !everything) return null;
    const why = err?.message?.trim().split("\n").at(-1);
    const said = (msg ?? line).trim().replace(/\s*\n\s*/g, " ");
    const shown = `${level >= ERROR ? "error: " : level >= WARNING ? "warning: " : ""}${said}${why ? ` (${why})` : ""}`;
    // An error may quote a stranger, whose bytes are not to move the operator's cursor or write in their window's name.
    return shown.replace(/\p{Cc}/gu, "\uFFFD");
  } catch {
    return line; // cut short, or not a log line of ours
  }
}
