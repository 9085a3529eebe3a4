/** The bearer secrets of a task: its handle, its session, the state of a multi round trip. Sealed at rest, opened here. */

import type { TaskRef } from "../../mcp/peer.ts";
import { handleDigest } from "../../tasks/found/handle.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { LiveSession, SessionRecord, WatchedTask } from "../watcher/watched-task.ts";
import { type CallState, setCalls } from "../watcher/watched-task.ts";

function place(ctx: WatcherContext, taskId: string, column: string) {
  return { organizationId: ctx.organizationId, table: "task", row: taskId, column };
}

/** The opaque state of a multi round trip. */
export function sealRequestState(ctx: WatcherContext, taskId: string, state: string | null): string | null {
  return state === null ? null : ctx.seal.seal(place(ctx, taskId, "sealed_request_state"), state);
}

export function openRequestState(ctx: WatcherContext, entry: WatchedTask): string | null {
  const sealed = entry.work.sealedRequestState;
  return sealed === null ? null : ctx.seal.open(place(ctx, entry.id, "sealed_request_state"), sealed);
}

/** The session that a task lives in, with what it takes to go on with its own streams; null: it has none. */
export function sealSession(ctx: WatcherContext, entry: WatchedTask): string | null {
  if (!entry.live) return null;
  const { ownEventId, callId } = entry.calls;
  const stored: StoredSession = { ...entry.live.record, ownEventId, callId };
  return ctx.seal.seal(place(ctx, entry.id, "sealed_session"), JSON.stringify(stored));
}

type StoredSession = SessionRecord & Partial<Pick<CallState, "ownEventId" | "callId">>;

/** Brings a task back into the session that it was stored with. */
export function restoreSession(ctx: WatcherContext, entry: WatchedTask): LiveSession | null {
  const { sealedSession } = entry.work;
  if (entry.live || sealedSession === null) return entry.live;
  const opened = ctx.seal.open(place(ctx, entry.id, "sealed_session"), sealedSession);
  const { ownEventId = null, callId = null, ...kept } = JSON.parse(opened) as StoredSession;
  setCalls(entry, { ownEventId, callId });
  return ctx.sessions.attach(entry, kept);
}

/** In place of a handle that was opened: nobody opens it again, and of a hundred thousand it takes megabytes. */
const OPENED = "opened";

/** The server's id of the task; null: none was told. */
export function handleOf(ctx: WatcherContext, entry: WatchedTask): string | null {
  const { sealedHandle } = entry.work;
  if (entry.handle === null && sealedHandle !== null)
    ctx.name(entry, ctx.seal.open(place(ctx, entry.id, "sealed_handle"), sealedHandle));
  if (sealedHandle !== null) entry.work.sealedHandle = OPENED;
  return entry.handle;
}

/** Where the task lives at its server. */
export function taskRef(ctx: WatcherContext, entry: WatchedTask): TaskRef {
  const taskId = handleOf(ctx, entry);
  if (taskId === null) throw new Error(`task ${entry.id} has no handle`);
  return { taskId, session: restoreSession(ctx, entry)?.record ?? null };
}

/** A session without its secret, for telling which asks belong to it. */
export function sessionDigest(ctx: WatcherContext, session: SessionRecord): Buffer {
  return ctx.seal.digest("session", `${ctx.connectionId} ${session.id ?? session.own}`);
}

/** What is stored of a task that a server made. */
export function sealedTask(ctx: WatcherContext, entry: WatchedTask, handle: string) {
  return {
    handle: ctx.seal.seal(place(ctx, entry.id, "sealed_handle"), handle),
    digest: handleDigest(ctx.seal, ctx.organizationId, handle),
    session: sealSession(ctx, entry),
  };
}
