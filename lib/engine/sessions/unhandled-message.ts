/** A message of a stream that is not handled yet. */

import type { Via } from "../../mcp/peer.ts";
import type { SessionTask } from "../../mcp/stream-messages/attribute.ts";
import type { NewStreamMessage } from "../../mcp/stream-messages/stream-message-schema.ts";
import type { PutQuestion } from "../../requests/elicitation-tasks/task-limit.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { clockMs, type LiveSession, type WatchedTask } from "../watcher/watched-task.ts";
import { tasksThatMayAsk } from "./sessions.ts";

export interface UnhandledMessage {
  message: NewStreamMessage;
  /** The handle that the message names; null if it names none, or was read from its row, which has a digest. */
  handle: string | null;
  via: Via;
  /** The task whose turn it was to be asked for its question, on a channel. */
  turnOf: string | null;
  /** Size of the question, in characters. */
  size: number;
  /** Null if no task of the session is watched any more. */
  session: LiveSession | null;
  /** The tasks of the session when the message came. */
  tasks: SessionTask[];
  receivedAt: number;
  /** Ids of the tasks that may have asked; null before the first try to attribute the message. */
  candidates: string[] | null;
  /** What polls of the candidates have shown since the message came. */
  seen: Map<string, "waiting" | "working">;
  /** The task that asked, if it has the maximum number of open questions already. */
  waitsFor: string | null;
}

/** Finds the task in memory, because the reply that names the handle may not be stored yet. */
export function taskOfHandle(ctx: WatcherContext, { handle }: UnhandledMessage): WatchedTask | null {
  return handle === null ? null : ctx.taskByHandle(handle);
}

/** Returns the question that the message puts as an elicitation task, with the tasks that may have asked; null: it is none. */
export function asElicitationTask(ctx: WatcherContext, one: UnhandledMessage): PutQuestion | null {
  const { elicitationTask: task, question, streamTaskId } = one.message;
  if (!task || !question) return null;
  const asking = one.waitsFor ?? taskOfHandle(ctx, one)?.id ?? streamTaskId;
  const askingTasks = asking ? [asking] : (one.candidates ?? one.tasks.map(({ id }) => id));
  return { id: task.id, question, askingTasks };
}

/** A message that has just come, or was read from its row. */
export function unhandled(
  message: NewStreamMessage,
  session: LiveSession | null,
  candidates: string[] | null,
): UnhandledMessage {
  const tasks = session ? tasksThatMayAsk(session) : [];
  const size = sizeOf(message);
  return {
    message,
    handle: null,
    via: "stream",
    turnOf: null,
    size,
    session,
    tasks,
    receivedAt: clockMs(),
    candidates,
    seen: new Map(),
    waitsFor: null,
  };
}

/** The ids of the tasks that may have asked, where nothing but the session says whose the question is, and it has several. */
export function candidatesAtFirst({ message, tasks }: UnhandledMessage): string[] {
  const isOpen = message.question !== null && message.namedDigest === null && message.streamTaskId === null;
  return isOpen && tasks.length > 1 ? tasks.map(({ id }) => id) : [];
}

/** Size of the question, in characters. */
export function sizeOf({ question }: Pick<NewStreamMessage, "question">): number {
  if (!question) return 0;
  const schema = JSON.stringify(question.requestedSchema)?.length ?? 0;
  return question.message.length + schema + (question.url?.length ?? 0);
}
