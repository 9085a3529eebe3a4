/** Bearer secrets of a task, sealed at rest: its handle, its session, and the state of a multi round trip. */

import { handleDigest } from "../../lifecycle/found-tasks/handle.ts";
import type { TaskRef } from "../../mcp/peer.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { LiveSession, SessionRecord, WatchedTask } from "../watcher/watched-task.ts";
import { type CallState, setCalls } from "../watcher/watched-task.ts";

function place(ctx: WatcherContext, taskId: string, column: string) {
  return { organizationId: ctx.organizationId, table: "task", row: taskId, column };
}

/** Seals the opaque state of a multi round trip; returns null for null. */
export function sealRequestState(ctx: WatcherContext, taskId: string, state: string | null): string | null {
  return state === null ? null : ctx.seal.seal(place(ctx, taskId, "sealed_request_state"), state);
}

export function openRequestState(ctx: WatcherContext, task: WatchedTask): string | null {
  const sealed = task.work.sealedRequestState;
  return sealed === null ? null : ctx.seal.open(place(ctx, task.id, "sealed_request_state"), sealed);
}

/** Seals the task's session with the ids for resuming its streams. Returns null without a session. */
export function sealSession(ctx: WatcherContext, task: WatchedTask): string | null {
  if (!task.session) return null;
  const { ownEventId, callId, resultId } = task.calls;
  const stored: StoredSession = { ...task.session.record, ownEventId, callId, resultId };
  return ctx.seal.seal(place(ctx, task.id, "sealed_session"), JSON.stringify(stored));
}

type StoredSession = SessionRecord & Partial<Pick<CallState, "ownEventId" | "callId" | "resultId">>;

/** Puts a task back into its stored session. Returns null if none is stored. */
export function restoreSession(ctx: WatcherContext, task: WatchedTask): LiveSession | null {
  const { sealedSession } = task.work;
  if (task.session || sealedSession === null) return task.session;
  const opened = ctx.seal.open(place(ctx, task.id, "sealed_session"), sealedSession);
  const { ownEventId = null, callId = null, resultId = null, ...kept } = JSON.parse(opened) as StoredSession;
  setCalls(task, { ownEventId, callId, resultId });
  return ctx.sessions.attach(task, kept);
}

/** Replaces an opened handle in memory, because the sealed text is not needed again and takes space. */
const OPENED = "opened";

/** Returns the server's id of the task, or null if unknown. */
export function handleOf(ctx: WatcherContext, task: WatchedTask): string | null {
  const { sealedHandle } = task.work;
  if (task.handle === null && sealedHandle !== null)
    ctx.name(task, ctx.seal.open(place(ctx, task.id, "sealed_handle"), sealedHandle));
  if (sealedHandle !== null) task.work.sealedHandle = OPENED;
  return task.handle;
}

/** Returns the task's address at its server. Throws if the handle is unknown. */
export function taskRef(ctx: WatcherContext, task: WatchedTask): TaskRef {
  const taskId = handleOf(ctx, task);
  if (taskId === null) throw new Error(`task ${task.id} has no handle`);
  return { taskId, session: restoreSession(ctx, task)?.record ?? null };
}

/** Digest of a session, to match asks without keeping the session's secret. */
export function sessionDigest(ctx: WatcherContext, session: SessionRecord): Buffer {
  return ctx.seal.digest("session", `${ctx.connectionId} ${session.id ?? session.own}`);
}

/** Returns the stored form of a task's handle and session. */
export function sealedTask(ctx: WatcherContext, task: WatchedTask, handle: string) {
  return {
    handle: ctx.seal.seal(place(ctx, task.id, "sealed_handle"), handle),
    digest: handleDigest(ctx.seal, ctx.organizationId, handle),
    session: sealSession(ctx, task),
  };
}
