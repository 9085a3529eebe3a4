/** What a server on an official package tells the part: the same as the lean server (bench/hot-path/simulated.ts). */
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

/** From here on the part is answered; `sockets` and `held`: as they are now. */
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
