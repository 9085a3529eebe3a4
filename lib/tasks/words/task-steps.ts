/** Durations of a task's steps: the words beside each line of its history. */
import type { TaskEvent } from "../../history/events/event-schema.ts";
import { formatDuration } from "../../text/duration.ts";

/** Lines closer together than this happened practically at once. */
const GAP_WORTH_SAYING_MS = 2_000;

type Step = Pick<TaskEvent, "seq" | "at" | "type" | "inputRequestId" | "data">;

/**
 * The words on a step's duration, by its number: `held 5 s for undo`, `0.4 s after sending`. `steps`: oldest
 * first, with or without the beginning; steps without a notable duration are left out.
 */
export function stepWords(steps: Step[], createdAt: string): Map<number, string> {
  const seen = new Map<string, number>();
  const words = new Map<number, string>();
  for (const [index, step] of steps.entries()) {
    const at = Date.parse(step.at);
    const since = (type: string, requestId = step.inputRequestId) => {
      const then = seen.get(`${type} ${requestId}`);
      return then === undefined ? null : at - then;
    };
    const text = TOLD[step.type]?.(since, step, at - Date.parse(createdAt));
    const before = steps[index - 1];
    const gapMs = before ? at - Date.parse(before.at) : 0;
    const gap = gapMs >= GAP_WORTH_SAYING_MS ? `after ${formatDuration(gapMs)}` : null;
    const said = text || gap;
    if (said) words.set(step.seq, said);
    seen.set(`${step.type} ${step.inputRequestId}`, at);
  }
  return words;
}

type Since = (type: string, requestId?: string | null) => number | null;
type Tell = (since: Since, step: Step, ageMs: number) => string | null;

const ended: Tell = (since, _step, ageMs) =>
  later(since("task.cancel_requested", null), "after it was asked for") ??
  later(ageMs, "after it was started");
const TOLD: Record<string, Tell> = {
  "task.started": (since) => later(since("task.starting"), "after calling"),
  "task.asking": (since) => later(since("task.starting"), "after calling"),
  "task.completed": (_since, _step, ageMs) => later(ageMs, "after it was started"),
  "task.failed": (_since, _step, ageMs) => later(ageMs, "after it was started"),
  "task.cancelled": ended,
  "answer.recorded": (since, { data }) =>
    [
      later(since("request.opened") ?? since("request.replaced"), "after it was asked"),
      typeof data.holdMs === "number" && data.holdMs > 0 && `held ${formatDuration(data.holdMs)} for undo`,
    ]
      .filter(Boolean)
      .join(", "),
  "answer.undone": (since) => later(since("answer.recorded"), "later"),
  "delivery.accepted": (since) => later(since("delivery.sending"), "after sending"),
  "delivery.confirmed": (since) => later(since("delivery.sending"), "after sending"),
  "delivery.unsent": (since) => later(since("delivery.sending"), "after sending began"),
  "delivery.flagged": (since) => later(since("delivery.accepted"), "after it was taken"),
};

function later(ms: number | null, words: string): string | null {
  if (ms === null) return null;
  return ms < 100 ? "at once" : `${formatDuration(ms)} ${words}`;
}
