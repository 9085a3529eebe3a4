/** Runs other clients at the same work (rival.ts) and returns their cost. */
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
  /** Polls due within this time begin together, in ms. */
  turnMs: number;
}
export interface RivalReport {
  polls: number;
  failed: number;
  cpuUsPerPoll: number;
}

const FILE = fileURLToPath(new URL("./rival.ts", import.meta.url));

/** Throws if the rival did not keep the pace or a poll failed, because its work would not be comparable. */
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
