/** An engine in its own process, to be killed, stopped and continued at the worst moments. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface EngineProcess {
  pid: number;
  /** kill -9, awaited. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for the drain. Rejects if the engine did not end well. */
  drain(): Promise<void>;
  /** SIGSTOP: the process exists and does nothing, as in a long pause of its machine. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** Resident memory, in bytes. */
  memory(): number;
}

/** Characters of stderr that are kept, for the cause of its end. */
const COMPLAINT_CHARACTERS = 4_000;
const MAIN = fileURLToPath(new URL("../lib/engine/main.ts", import.meta.url));

/**
 * Starts an engine, and resolves once it runs. `environment`: the database, the keys and the hosts
 * (OrganizationFixture.engineEnvironment). `onOutput` gets its output until then.
 */
export async function startEngineProcess(
  environment: Record<string, string>,
  onOutput?: (text: string, pid: number) => void,
): Promise<EngineProcess> {
  const { PATH, HOME, LANG, NODE_COMPILE_CACHE } = process.env;
  const child: ChildProcess = spawn(process.execPath, [MAIN], {
    env: { PATH, HOME, LANG, NODE_COMPILE_CACHE, LOG_LEVEL: "info", ...environment } as Record<
      string,
      string | undefined
    > as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-COMPLAINT_CHARACTERS);
  });
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      // Output is collected only until the engine runs, since its log is long.
      if (output.includes("the engine runs")) return;
      output += chunk;
      onOutput?.(String(chunk), child.pid!);
      if (output.includes("the engine runs")) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => reject(new Error(`the engine ended before it ran: ${output}`)));
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const drain = async () => {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const [code] = await gone;
    if (code !== 0) throw new Error(`the engine did not drain (${code}): ${complaint}`);
  };
  const memory = () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the engine has ended (${child.exitCode ?? child.signalCode}): ${complaint}`);
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  };
  return {
    pid: child.pid!,
    kill,
    drain,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    memory,
  };
}
