/**
 * A child process that communicates in lines. Never outlives Intray: the child leads its own process group,
 * which is killed when Intray exits, and by a guard process if Intray is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { programEnvironment, env as settings } from "../../../base/env.ts";
import { LINE_BYTES, LOG_LINE_BYTES } from "../../limits.ts";
import type { CommandEndpoint } from "../../peer.ts";
import { PeerError } from "../../peer-error.ts";
import { hiding, IN_LOGS, IN_MESSAGES } from "../hide.ts";
import type { Channel, ChannelListener } from "./conversation.ts";

/** Time for a child to exit by itself: once after its stdin is closed, once after SIGTERM. */
const GRACE_MS = 2_000;
/** Longest wait for output after the end of stdout or the exit, in case a descendant keeps the pipes open. */
const LAST_WORDS_MS = 500;

/** What is said of a call whose command is gone. */
export const COMMAND_GONE = "The command has ended";

/**
 * A channel. Its listener's messages are lines of stdout, with the longer values of the endpoint's `env` masked, and its log
 * those of stderr, at most 4 KiB, with all values masked.
 */
export class Child implements Channel {
  readonly #process: ChildProcess;
  readonly #guard: ChildProcess | null;
  readonly #listener: ChannelListener;
  readonly #exited: Promise<void>;
  #gone = false;
  /** Tells the writers of what was not written, once it is gone. */
  readonly #unwritten: (() => void)[] = [];

  /** `lastWordsMs` is for tests: how long a child's words are waited for after its end. */
  constructor(
    { command, args, env }: CommandEndpoint,
    listener: ChannelListener,
    lastWordsMs: number = LAST_WORDS_MS,
  ) {
    this.#listener = listener;
    const { commandUser: user } = settings();
    const [program, programArgs] = user ? asCommandUser(user, command, args) : [command, args];
    const child = spawn(program, programArgs, {
      // Intray's own home is none of another user's.
      env: { ...programEnvironment(), ...(user && { HOME: "/nonexistent" }), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#process = child;
    this.#guard = child.pid === undefined ? null : guard(child.pid);
    living.add(child);
    this.#exited = new Promise((resolve) => {
      const exited = () => {
        // Kills processes that the child left behind.
        kill(child, "SIGKILL");
        living.delete(child);
        this.#guard?.kill("SIGKILL");
        resolve();
      };
      child.once("exit", () => {
        exited();
        afterLastWords(lastWordsMs, () => this.#leave());
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
    const onLine = (line: string) => this.#gone || listener.onMessage(hideInMessage(line));
    child.stdout.on("data", lineSplitter(LINE_BYTES, onLine, tooLong));
    // A child that sends no more messages, or reads none, is ended once its stderr has been read.
    const retireSoon = () => {
      if (child.stderr.readableEnded) this.#retire();
      else child.stderr.once("end", () => this.#retire());
      afterLastWords(lastWordsMs, () => this.#retire());
    };
    child.stdout.once("end", retireSoon);
    child.stdin.on("error", retireSoon);
    child.stderr.on(
      "data",
      lineSplitter(LOG_LINE_BYTES, (line) => listener.onLog(hideInLog(line))),
    );
    for (const stream of [child.stdout, child.stderr]) stream.on("error", () => this.#retire());
  }

  write(line: string, done: (failure: PeerError | null) => void): void {
    this.#process.stdin?.write(`${line}\n`, (error) => {
      if (!error) return done(null);
      const fail = () => done(new PeerError("unreachable", "no", COMMAND_GONE));
      // Its last words come first.
      if (this.#gone) fail();
      else this.#unwritten.push(fail);
    });
  }

  /** Closes stdin, then sends SIGTERM, then SIGKILL. Resolves when the process has exited. */
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
    for (const fail of this.#unwritten.splice(0)) fail();
  }
}

/** Calls back after `ms` and one more look at the pipes, which a busy process may not have read meanwhile. */
function afterLastWords(ms: number, then: () => void): void {
  setTimeout(() => setImmediate(then), ms).unref();
}

const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) kill(child, "SIGKILL");
});

/** Kills the whole group if there is one, else the child alone. */
function kill(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal); // no such group: empty, or a system without groups
  }
}

/** Starts a shell that waits for Intray's end, then for the grace period, then kills the child's group. */
function guard(pid: number): ChildProcess {
  const script = `while read -r _; do :; done; sleep ${GRACE_MS / 1000}; kill -s KILL -- "-$0"`;
  const shell = spawn("/bin/sh", ["-c", script, String(pid)], {
    env: programEnvironment(),
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without /bin/sh, a child only notices the closing of its own stdin.
  shell.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void } | null)?.unref();
  return shell;
}

/**
 * The user and group that commands run as, by number. As Intray's own user a command could read Intray's secrets, from its files
 * and from /proc/<pid>/environ, so an operator can name another one: INTRAY_COMMAND_USER.
 */
export type CommandUser = { uid: number; gid: number };

/**
 * Returns the program and arguments that run a command as `user`, without groups, capabilities or a way to get
 * any: by `setpriv` of util-linux, which then becomes the command, under the same process id. Where Intray may
 * not change users setpriv says so on stderr and runs nothing.
 */
export function asCommandUser(user: CommandUser, command: string, args: string[]): [string, string[]] {
  const identity = ["--reuid", String(user.uid), "--regid", String(user.gid), "--clear-groups"];
  const powers = ["--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"];
  return ["setpriv", [...identity, ...powers, "--", command, ...args]];
}

const NEWLINE = 10;

/**
 * Splits bytes into lines of UTF-8, without line ends. Drops the part of a line beyond `cap` bytes, and calls
 * `onTooLong` once as soon as the limit is exceeded. Returns a function that takes the bytes.
 */
export function lineSplitter(
  cap: number,
  onLine: (line: string) => void,
  onTooLong: () => void = () => {},
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    const room = cap - Math.min(size, cap);
    if (part.length > room && size <= cap) onTooLong();
    size += part.length;
    if (room > 0 && part.length > 0) parts.push(part.subarray(0, room));
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      const line = String(Buffer.concat(parts)).trimEnd();
      parts = [];
      size = 0;
      from = end + 1;
      if (line !== "") onLine(line);
    }
    keep(chunk.subarray(from));
  };
}
