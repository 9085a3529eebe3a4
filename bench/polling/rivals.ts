/** Starts others at the same work (rival.ts) and brings back what it cost them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { answerOf } from "../hot-path/simulated.ts";

export type Rival = "undici" | "client" | "extTasks" | "sdk";
export interface RivalTask {
  rival: Rival;
  url: string;
  tasks: number;
  pollMs: number;
  seconds: number;
  /** Polls that are due within so much begin together. */
  turnMs: number;
}
export interface RivalReport {
  polls: number;
  failed: number;
  cpuUsPerPoll: number;
}

const FILE = fileURLToPath(new URL("./rival.ts", import.meta.url));

/** Throws where it did not keep the pace, or a poll of it failed: then it did other work. */
export async function runRival(task: RivalTask): Promise<RivalReport> {
  const child = spawn(process.execPath, [FILE, JSON.stringify(task)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = once(child, "exit");
  const report = await answerOf<RivalReport>(child);
  await gone;
  if (report.failed > 0) throw new Error(`${task.rival}: ${report.failed} polls failed`);
  return report;
}
