/** Processes that a part drives: simulated servers, browsers. They speak with it in messages, and end with it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Child {
  pid: number;
  send(message: object): void;
  /** The next message that `wanted` takes. */
  next<T>(wanted: (message: T) => boolean): Promise<T>;
  on<T>(listener: (message: T) => void): void;
  end(): Promise<void>;
}

/** `module`: of `import.meta.url`'s folder, e.g. `new URL("server.ts", import.meta.url)`. */
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

/** Times that processes of one machine can compare, in ms. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}
