/** An engine in its own process, whose CPU and memory are read from outside. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Inspector, inspect } from "./inspector.ts";

export interface MeasuredEngine {
  /** CPU used by all threads, in ms; exact to 10 ms. */
  cpuMs(): number;
  /** Resident memory, in bytes. */
  rss(): number;
  /** The heap from inside; only when started with `inspected`, which costs time. */
  inspector: Inspector | null;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("../../lib/engine/main.ts", import.meta.url));
const TICKS_A_SECOND = 100;

export async function startMeasuredEngine(
  environment: Record<string, string>,
  options: { inspected?: boolean } = {},
): Promise<MeasuredEngine> {
  const { PATH, HOME, LANG } = process.env;
  const flags = options.inspected ? ["--inspect=127.0.0.1:0"] : [];
  const child = spawn(process.execPath, [...flags, MAIN], {
    env: { PATH, HOME, LANG, LOG_LEVEL: "info", ...environment } as unknown as NodeJS.ProcessEnv,
    // The IPC channel ends with this process, and the engine with the channel.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  let debugUrl: string | null = null;
  const isRunning = Promise.withResolvers<void>();
  child.stdout?.on("data", (chunk: Buffer) => {
    if (String(chunk).includes("the engine runs")) isRunning.resolve();
    // Shows warnings and errors, because a bench with those measures something else.
    for (const line of String(chunk).split("\n")) if (/"level":[45]0/.test(line)) console.error(line);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-4_000);
    debugUrl ??= /ws:\/\/\S+/.exec(said)?.[0] ?? null;
  });
  child.once("exit", (code) => isRunning.reject(new Error(`The engine has ended (${code}): ${said}`)));
  await isRunning.promise;
  const pid = child.pid as number;
  return {
    cpuMs() {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
    },
    rss() {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
    },
    inspector: options.inspected && debugUrl !== null ? await inspect(debugUrl) : null,
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
