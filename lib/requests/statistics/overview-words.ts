/** Words, numbers and links of the overview. */

import type { TaskState } from "../../tasks/task-status.ts";
import { formatDuration } from "../../text/duration.ts";
import type { Formats } from "../../text/formats/formats.ts";
import { humanise } from "../../text/labels.ts";
import type { FailureKind, Rung } from "../statistics/measures.ts";
import type { AgentCalls, Range, Step } from "./statistics-schema.ts";

export const RANGE_WORDS: Record<Range, { short: string; long: string }> = {
  "24h": { short: "24 h", long: "the last 24 hours" },
  "7d": { short: "7 d", long: "the last 7 days" },
  "30d": { short: "30 d", long: "the last 30 days" },
};

/** How tasks ended badly. `state`: the state to find such tasks by. */
export const FAILURE_WORDS: Record<FailureKind, { label: string; state: TaskState }> = {
  tool_error: { label: "Tool reported an error", state: "completed" },
  task_failed: { label: "Reported failed by server", state: "failed" },
  server_error: { label: "Server error during the call", state: "failed" },
  rejected: { label: "Call rejected by server", state: "failed" },
  result_missing: { label: "Result missing", state: "failed" },
  not_started: { label: "Never started", state: "failed" },
  lost: { label: "Lost by server", state: "lost" },
  expired: { label: "Expired", state: "expired" },
  other: { label: "Other errors", state: "failed" },
};

/** The words of an error's code; of one that has none, the code in plain words. */
export function failureWords(code: string): string {
  return Object.hasOwn(FAILURE_WORDS, code) ? FAILURE_WORDS[code as FailureKind].label : humanise(code);
}

export const RUNG_WORDS: Record<Rung, string> = {
  fetched: "Fetched by the server",
  update: "With the task",
  same_session: "In the same session",
  asked_again: "In the same session, after a repeat",
  new_session: "In a new session",
  retry: "With a repeated call",
  none: "Not sent",
};

/** `99.2 %`; never 100 if anything failed. */
export function formatShare(share: number, { number }: Formats): string {
  const tenths = share >= 1 ? 1000 : Math.min(999, Math.round(share * 1000));
  return `${number(tenths / 10)} %`;
}

/** `38 ms`, `1.9 s`, since latencies are short. */
export function formatLatency(ms: number, { number, count }: Formats): string {
  return ms < 1_000 ? `${number(Math.round(ms))} ms` : `${count(ms / 1_000)} s`;
}

/** Working time in hours, as no day of it has 24: `26 h`, `45 min`. */
export function formatWork(ms: number): string {
  return ms < HOUR_MS ? formatDuration(ms) : `${Math.round(ms / HOUR_MS)} h`;
}

const HOUR_MS = 3_600_000;

/** The label under a column: `14:00` if steps are hours, else `19 Nov`. */
export function stepLabel(at: string, stepMs: number, { time, day }: Formats): string {
  return (stepMs <= 3600_000 ? time : day)(at);
}

/** The name of a column: `19 Nov, 14:00 to 15:00`, `19 Nov, 18:00 to 20 Nov, 00:00`. */
export function stepName(at: string, stepMs: number, { time, day, dayAndTime }: Formats): string {
  const end = Date.parse(at) + stepMs;
  return `${dayAndTime(at)} to ${(day(at) === day(end) ? time : dayAndTime)(end)}`;
}

/** The tasks of a step that failed, were lost or expired. */
export function failedIn({ ended }: Pick<Step, "ended">): number {
  return ended.failed + ended.lost + ended.expired;
}

/** The link to a list of tasks; empty filter values are left out. */
export function tasksHref(filter: Record<string, string>): string {
  const set = Object.entries(filter).filter(([, value]) => value !== "");
  return `/tasks${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`;
}

/** `198 of 214 calls passed without a person.` */
export function agentCallsWords(
  { byRule, byStandingApproval, byPerson, refused }: AgentCalls,
  { number }: Formats,
): string {
  const alone = byRule + byStandingApproval;
  const all = alone + byPerson + refused;
  return `${number(alone)} of ${number(all)} ${all === 1 ? "call" : "calls"} passed without a person.`;
}
