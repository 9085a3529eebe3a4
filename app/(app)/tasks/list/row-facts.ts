/** What a row of the list shows of a task: pure, so that the table and the cards agree. */
import { type AttentionCode, EXPIRING_MS } from "@/lib/tasks/task-attention.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { isLive, serverStateLabel } from "@/lib/tasks/words/state-labels.ts";

/** Attention codes that name the state or replace it. */
const SAYS_ALL: AttentionCode[] = ["start_unknown", "stalled", "lost"];

/** Returns which badges the table shows of a state. The reason for a standstill says more than the state. */
export function stateBadges({
  state,
  attention,
  durable,
}: Pick<TaskSummary, "state" | "attention" | "durable">): { state: boolean; notDurable: boolean } {
  return {
    state: !(attention && SAYS_ALL.includes(attention.code)),
    notDurable: !durable && isLive(state),
  };
}

type Told = Pick<
  TaskSummary,
  "state" | "progress" | "outcome" | "error" | "statusMessage" | "cancelRequestedAt" | "serverState"
>;

/**
 * Returns the task's status in one line: its progress if known, else the outcome, the error, or the server's
 * status message. `server`: the state that the server still tells of a task that is being cancelled.
 */
export function matterOf({
  state,
  progress,
  outcome,
  error,
  statusMessage,
  cancelRequestedAt,
  serverState,
}: Told): { progress: NonNullable<Told["progress"]> } | { text: string | null; server: string | null } {
  if (progress && isLive(state) && state !== "input_required") return { progress };
  return {
    text: outcome ?? error?.message ?? statusMessage,
    server: cancelRequestedAt && serverState ? serverStateLabel(serverState) : null,
  };
}

/** Returns an instant of a task that still moves; `—` if there is none, null if the task has ended. */
export function instantOf(state: TaskSummary["state"], at: string | null): { at: string } | "—" | null {
  if (!isLive(state)) return null;
  return at === null ? "—" : { at };
}

/** Whether a task ends so soon that its row says so. `now`: ms. */
export const endsSoon = (at: string, now: number): boolean => Date.parse(at) - now < EXPIRING_MS;

/** Returns the columns of a choice kept in the browser. `known`: all columns. `usual`: the choice of nobody. */
export function readColumns(kept: string | null | undefined, known: string[], usual: string[]): string[] {
  return kept?.split(",").filter((id) => known.includes(id)) ?? usual;
}

/** Whether two choices show the same columns, in whatever order they were made. */
export function sameColumns(one: string[], other: string[]): boolean {
  return one.toSorted().join() === other.toSorted().join();
}

export interface TaskRow {
  task: TaskSummary;
  /** The task left the list. The row stays only while the pointer is over the list. */
  gone: boolean;
}

export const toRow = (task: TaskSummary): TaskRow => ({ task, gone: false });

/**
 * Returns the rows in place with current data, followed by rows of further pages. New tasks before the last row are
 * left out, until the person asks for them. `held`: the pointer is over the list, and no row goes.
 */
export function settled(rows: TaskRow[], fresh: TaskSummary[], held: boolean): TaskRow[] {
  const now = new Map(fresh.map((task) => [task.id, task]));
  const kept = rows.flatMap(({ task }): TaskRow[] => {
    const current = now.get(task.id);
    if (current) return [{ task: current, gone: false }];
    return held ? [{ task, gone: true }] : [];
  });
  const there = new Set(kept.map(({ task }) => task.id));
  const last = fresh.findLastIndex((task) => there.has(task.id));
  // If no row of the old list is left, no row can move.
  if (last === -1 && !held) return fresh.map(toRow);
  return [...kept, ...fresh.slice(last + 1).map(toRow)];
}
