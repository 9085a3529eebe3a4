/**
 * Child processes of a part: simulated servers, browsers. They exchange messages with the part, and end with
 * it.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Child {
  pid: number;
  send(message: object): void;
  /** Resolves with the next message that `wanted` accepts. */
  next<T>(wanted: (message: T) => boolean): Promise<T>;
  on<T>(listener: (message: T) => void): void;
  end(): Promise<void>;
}

/** `module`: relative to the caller's file, e.g. `new URL("server.ts", import.meta.url)`. */
export function startChild(module: URL): Child {
  const child: ChildProcess = fork(module);
  return {
    pid: child.pid!,
    send: (message) => void child.send(message),
    next: (wanted) =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null) => reject(new Error(`${module.pathname} ended (${code})`));
        const onMessage = (message: unknown) => {
          if (!wanted(message as never)) return;
          child.off("message", onMessage);
          child.off("exit", onExit);
          resolve(message as never);
        };
        child.on("message", onMessage);
        child.once("exit", onExit);
      }),
    on: (listener) => void child.on("message", listener),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Returns a time in ms that all processes of this machine share. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}
