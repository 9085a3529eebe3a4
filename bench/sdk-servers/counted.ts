/**
 * The counts of a server on an official package, the same as the lean server's (bench/hot-path/simulated.ts).
 */
import { quantile } from "../figure.ts";
import type { Behaviour, Report } from "../hot-path/simulated.ts";

export const { pollMs } = JSON.parse(process.argv[2] ?? "") as Behaviour;

const lastPoll = new Map<string, number>();
let lateMs: number[] = [];
let polls = 0;

export function notePoll(taskId: string): void {
  const now = performance.now();
  const last = lastPoll.get(taskId);
  if (last !== undefined) lateMs.push(now - last - pollMs);
  lastPoll.set(taskId, now);
  polls++;
}

/** Starts answering the part's messages; `state` returns the current sockets and streams. */
export function answerPart(port: number, state: () => { sockets: number; held: number }): void {
  process.on("message", (message) => {
    if (message === "reset") {
      polls = 0;
      lateMs = [];
    }
    const lateness = { p50: quantile(lateMs, 0.5), p99: quantile(lateMs, 0.99), max: quantile(lateMs, 1) };
    const report: Report = { polls, bytes: 0, tasks: lastPoll.size, ...state(), lateMs: lateness };
    process.send?.(report);
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ ports: [port] });
}
