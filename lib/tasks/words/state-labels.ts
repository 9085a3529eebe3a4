import type { Tone } from "../../text/labels.ts";
import type { TaskDetail } from "../task-schema.ts";
import { hasEnded, type TaskState } from "../task-status.ts";

export const STATE_LABELS: Record<TaskState, string> = {
  queued: "Queued",
  starting: "Starting",
  start_unknown: "Start unknown",
  working: "Working",
  input_required: "Waiting for a person",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  lost: "Lost",
  expired: "Expired",
};

/** A task that can still move by itself. */
export function isLive(state: TaskState): boolean {
  return !hasEnded(state);
}

const NOT_A_SUCCESS =
  /reject|declin|denied|deny|refus|cancel|fail|error|abort|void|withdrawn|revoked|skipped|time.?out|expired|not.(approved|confirmed|paid|done)|asked to revise/i;

/**
 * The colour of a state. A completed task is green only if its outcome is neither an error nor a word such as
 * `REJECTED`, which tells of a bad result of a task that ran well.
 */
export function taskTone(task: {
  state: TaskState;
  stalled: boolean;
  outcome: string | null;
  outcomeIsError: boolean;
}): Tone {
  switch (task.state) {
    case "input_required":
    case "start_unknown":
      return "wait";
    case "failed":
    case "lost":
      return "bad";
    case "completed":
      if (task.outcomeIsError) return "bad";
      return task.outcome && NOT_A_SUCCESS.test(task.outcome) ? "neutral" : "good";
    default:
      return task.stalled ? "bad" : "neutral";
  }
}

/**
 * The task's status in one sentence, if it has one. Of a failed task, the server's last status is often the error
 * itself, which its notice shows.
 */
export function statusSentence({
  state,
  progress,
  statusMessage,
  error,
}: Pick<TaskDetail, "state" | "progress" | "statusMessage" | "error">): string | null {
  const sentence = progress?.message ?? statusMessage;
  return state === "failed" && sentence === error?.message ? null : sentence;
}

/** The server's name of a state in our words, for lines such as “the server still says …”. */
export function serverStateLabel(state: string): string {
  return (STATE_LABELS as Record<string, string>)[state] ?? state;
}
