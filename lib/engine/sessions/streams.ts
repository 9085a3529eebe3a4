/** Which streams of 2025-11-25 a running task needs. stream-inbox.ts processes their messages. */
import { keptTask } from "../../lifecycle/engine-task.ts";
import { RETRACTION_WAIT_MS, STREAM_QUIET_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { setCold, type WatchedTask } from "../watcher/watched-task.ts";
import {
  closeResultStream,
  holdForRequests,
  keepsResultStream,
  requestPendingQuestion,
} from "./result-stream.ts";
import { closeStandalone } from "./sessions.ts";
import { tryStandalone } from "./standalone-stream.ts";

/** Opens and closes streams to fit what the task waits for. Called at every step of a running task. */
export async function tendStreams(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  const { session, work } = task;
  // No server knows the handle of a recipe's task as a task.
  const isServers = work.recipeVersion === null;
  if (isServers && work.era === "2026-07-28" && task.handle !== null) ctx.follow(task.handle);
  if (work.era !== "2025-11-25" || !session) return;
  const waitsForQuestion =
    work.state === "input_required" && work.requests.length === 0 && !work.cancelRequested;
  const isFetchedFrom = work.requests.some((request) => keptTask(request) !== null);
  setCold(task, { listenUntil: listenUntil(ctx, task, now) });
  const wanted = [...session.tasks].some((task) => now < task.cold.listenUntil);
  if (wanted) await tryStandalone(ctx, task, now);
  else closeStandalone(session);
  // Nothing followed the accepted answers: the stream may bring the next question, or the same again.
  const isSilent =
    work.requests.length > 0 && work.requests.every(({ delivery }) => delivery?.state === "accepted");
  const isOver = !(waitsForQuestion || isSilent) || now > task.cold.resultStreamUntil;
  if (isOver && !isFetchedFrom && !keepsResultStream(ctx, task, session, now)) closeResultStream(ctx, task);
  if (waitsForQuestion) await requestPendingQuestion(ctx, task, now);
  if (isFetchedFrom && work.state === "input_required") await holdForRequests(ctx, task, session, now);
}

/** Returns until when to listen: while the task runs, but after a question only for its retraction. */
function listenUntil(ctx: WatcherContext, task: WatchedTask, now: number): number {
  const hasOpen = task.work.requests.some((request) => request.state === "open");
  // The server asks for the answer, on whatever stream is open.
  if (task.work.requests.some((request) => keptTask(request) !== null)) return Number.POSITIVE_INFINITY;
  const quietMs = task.work.quietMs + (now - task.loadedAt);
  // A server that reissues questions needs no stream for a task that waits or sleeps.
  if (ctx.traits.reissues && (hasOpen || quietMs > STREAM_QUIET_MS)) return 0;
  return hasOpen ? Math.min(task.cold.listenUntil, now + RETRACTION_WAIT_MS) : Number.POSITIVE_INFINITY;
}
