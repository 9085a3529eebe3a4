/**
 * One child process that speaks in lines. It never outlives us: it leads a process group of its own, which is killed
 * when we exit, and by a guard when we are killed ourselves.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { programEnvironment } from "../../base/env.ts";
import { LINE_BYTES, LOG_LINE_BYTES } from "../limits.ts";
import type { CommandEndpoint } from "../peer.ts";
import { hiding, IN_LOGS, IN_MESSAGES } from "./hide.ts";
import { lineSplitter } from "./lines.ts";

/** How long a child has to end by itself: once after its stdin was closed, once after SIGTERM. */
const GRACE_MS = 2_000;
/** A descendant that keeps the pipes open holds up the news of the end no longer than this. */
const LAST_WORDS_MS = 500;

export interface ChildListener {
  /** A line of stdout, without the longer values of the endpoint's `env`. */
  onLine(line: string): void;
  /** A line of stderr, at most 4 KiB, without the values of the endpoint's `env`. */
  onLog(line: string): void;
  /** Once: no line comes and none is taken any more. */
  onGone(): void;
}

export class Child {
  readonly #process: ChildProcess;
  readonly #guard: ChildProcess | null;
  readonly #listener: ChildListener;
  readonly #exited: Promise<void>;
  #gone = false;

  constructor({ command, args, env }: CommandEndpoint, listener: ChildListener) {
    this.#listener = listener;
    const child = spawn(command, args, {
      env: { ...programEnvironment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#process = child;
    this.#guard = child.pid === undefined ? null : guard(child.pid);
    living.add(child);
    this.#exited = new Promise((resolve) => {
      const exited = () => {
        // What it started and left behind goes with it.
        kill(child, "SIGKILL");
        living.delete(child);
        this.#guard?.kill("SIGKILL");
        resolve();
      };
      child.once("exit", () => {
        exited();
        setTimeout(() => this.#leave(), LAST_WORDS_MS).unref();
      });
      child.once("close", () => this.#leave());
      child.once("error", (error) => {
        listener.onLog(`The command could not be run (${(error as NodeJS.ErrnoException).code ?? "error"})`);
        if (child.pid === undefined) exited();
        this.#leave();
      });
    });
    const tooLong = () => {
      listener.onLog("A message was larger than 10 MB: the command is killed");
      this.#leave();
      kill(child, "SIGKILL");
    };
    const secrets = Object.values(env);
    const hideInMessage = hiding(secrets, IN_MESSAGES);
    const hideInLog = hiding(secrets, IN_LOGS);
    const onLine = (line: string) => this.#gone || listener.onLine(hideInMessage(line));
    child.stdout.on("data", lineSplitter(LINE_BYTES, onLine, tooLong));
    // It can say nothing more, so it is of no more use.
    child.stdout.once("end", () => this.#retire());
    child.stderr.on(
      "data",
      lineSplitter(LOG_LINE_BYTES, (line) => listener.onLog(hideInLog(line))),
    );
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => this.#retire());
  }

  /** `done` is told whether the line left us whole. */
  write(line: string, done: (written: boolean) => void): void {
    this.#process.stdin?.write(`${line}\n`, (error) => done(!error));
  }

  /** Closes stdin, then SIGTERM, then SIGKILL. Resolves when the process is no more. */
  async end(): Promise<void> {
    this.#process.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const timer = setTimeout(
        () => kill(this.#process, signal),
        signal === "SIGTERM" ? GRACE_MS : 2 * GRACE_MS,
      );
      void this.#exited.then(() => clearTimeout(timer));
    }
    await this.#exited;
    this.#leave();
  }

  #retire(): void {
    this.#leave();
    void this.end();
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#listener.onGone();
  }
}

const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) kill(child, "SIGKILL");
});

/** The whole group, as long as its leader has one. */
function kill(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal); // No such group: nobody left, or a system without groups.
  }
}

/** A shell that reads from us until we are no more, gives the child its grace, and kills what is left of its group. */
function guard(pid: number): ChildProcess {
  const script = `while read -r _; do :; done; sleep ${GRACE_MS / 1000}; kill -s KILL -- "-$0"`;
  const shell = spawn("/bin/sh", ["-c", script, String(pid)], {
    env: programEnvironment(),
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Where there is no such shell, the end of its stdin has to do for the child.
  shell.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void } | null)?.unref();
  return shell;
}
