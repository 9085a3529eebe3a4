/** Starting a task, once: the attempt is committed before the call, the handle right after it. */
import { randomUUID } from "node:crypto";
import { PeerError, type StartOutcome } from "../mcp/peer.ts";
import {
  markNotStarted,
  markStarted,
  markStarting,
  markStartUnknown,
  noteWaiting,
  renewAttempt,
} from "../tasks/progress.ts";
import { MAX_TTL_MS } from "../tasks/schema.ts";
import { end } from "./apply.ts";
import {
  callOptions,
  change,
  insist,
  type KeptSession,
  sealHandle,
  sealSession,
  type TaskEntry,
  type WatcherContext,
} from "./entry.ts";
import { dropStreams, listenerOf, openGetStream, openSession } from "./streams.ts";
import { ATTEMPT_DEADLINE_MS, CALL_DEADLINE_MS, DEFAULT_POLL_MS } from "./tunables.ts";

/** The first attempt of a queued task. Returns the pause until the next step, in ms. */
export async function start(ctx: WatcherContext, entry: TaskEntry): Promise<number> {
  const { era, session } = await prepare(ctx, entry);
  const attempt = randomUUID();
  await ctx.mayChange();
  const marked = await change(ctx, entry, (tx) =>
    markStarting(ctx.organizationId, tx, entry.id, {
      id: attempt,
      deadlineMs: ATTEMPT_DEADLINE_MS,
      era,
      sealedSession: sealSession(ctx, entry.id, session),
    }),
  );
  if (!marked) return 0;
  entry.work = { ...entry.work, era };
  return call(ctx, entry, attempt, session);
}

/** What has to be known and open before the call, and may fail without harm. */
async function prepare(ctx: WatcherContext, entry: TaskEntry) {
  try {
    const era = await ctx.era();
    return { era, session: era === "2025-11-25" ? await openListeningSession(ctx, entry) : null };
  } catch (error) {
    if (error instanceof PeerError) {
      if (error.code === "session_gone") entry.session = null;
      await change(ctx, entry, (tx) => noteWaiting(ctx.organizationId, tx, entry.id, reasonOf(error)));
    }
    throw error;
  }
}

/** A task found in `starting`: nobody knows what became of the call. */
export async function resolveStart(ctx: WatcherContext, entry: TaskEntry): Promise<number> {
  const { attemptDueInMs, toolHints, era } = entry.work;
  const last = entry.work.attemptId!;
  if ((attemptDueInMs ?? 0) > 0) {
    entry.stale = true;
    return attemptDueInMs!;
  }
  const claims = toolHints?.annotations;
  // A cancelled call is repeated only to learn which task it made, and to cancel that.
  const harmless = claims?.idempotentHint === true || claims?.readOnlyHint === true;
  if (!toolHints?.honoursIdempotencyKey && (!harmless || entry.work.cancelRequested)) {
    await change(ctx, entry, (tx) => markStartUnknown(ctx.organizationId, tx, entry.id, last));
    // The session stays open on the server: the task, if there is one, lives in it.
    dropStreams(entry);
    entry.session = null;
    return 0;
  }
  // The last attempt's session may hold a task of its own; this one is made where questions can be told apart.
  dropStreams(entry);
  entry.session = null;
  const session = era === "2025-11-25" ? await openListeningSession(ctx, entry) : null;
  const attempt = randomUUID();
  await ctx.mayChange();
  const renewed = await change(ctx, entry, (tx) =>
    renewAttempt(ctx.organizationId, tx, entry.id, last, {
      id: attempt,
      deadlineMs: ATTEMPT_DEADLINE_MS,
      sealedSession: sealSession(ctx, entry.id, session),
    }),
  );
  return renewed ? call(ctx, entry, attempt, session) : 0;
}

/**
 * Servers that ask only on the standalone stream drop the question where it is not open: it comes first. The session
 * of a try that never got as far as the call is used again, with its stream.
 */
async function openListeningSession(ctx: WatcherContext, entry: TaskEntry): Promise<KeptSession> {
  const isNew = entry.session === null;
  if (isNew) dropStreams(entry);
  entry.session ??= await openSession(ctx, entry);
  const session = entry.session;
  try {
    await openGetStream(ctx, entry, session);
  } catch (error) {
    // A session that was opened a moment ago is not gone: some servers answer 404 where they have no such stream.
    if (!(isNew && error instanceof PeerError && error.code === "session_gone")) throw error;
    entry.getStreamUntil = 0;
  }
  return session;
}

async function call(
  ctx: WatcherContext,
  entry: TaskEntry,
  attempt: string,
  session: KeptSession | null,
): Promise<number> {
  const { work } = entry;
  let outcome: StartOutcome;
  try {
    await ctx.mayChange();
    const ttlMs = work.requestedTtlMs === null ? null : Math.min(work.requestedTtlMs, MAX_TTL_MS);
    outcome = await ctx.peer(work.era!).start(
      session,
      // One key for all attempts of a task: a server that honours it makes one task of them.
      {
        tool: work.tool,
        arguments: work.arguments,
        ttlMs,
        idempotencyKey: entry.id,
        taskSupport: work.toolHints?.taskSupport,
        inputSchema: work.toolHints?.inputSchema ?? undefined,
      },
      session ? listenerOf(ctx, entry, session, () => undefined) : deafListener,
      callOptions(entry, CALL_DEADLINE_MS),
    );
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    return afterFailure(ctx, entry, attempt, error);
  }
  switch (outcome.kind) {
    case "task": {
      const { task } = outcome;
      entry.handle = task.taskId;
      const sealed = {
        handle: sealHandle(ctx, entry.id, task.taskId),
        session: sealSession(ctx, entry.id, session),
      };
      const stored = await insist(() =>
        change(ctx, entry, (tx) => markStarted(ctx.organizationId, tx, entry.id, attempt, task, sealed)),
      );
      if (!stored) throw new Error(`the attempt ${attempt} of task ${entry.id} was replaced while it ran`);
      // No start any more: its first poll takes no place of those that are.
      entry.work = { ...entry.work, state: "working" };
      return 0;
    }
    case "result":
      await insist(() => end(ctx, entry, { state: "completed", result: outcome.result }));
      return 0;
    case "input_required":
      await end(ctx, entry, {
        state: "failed",
        error: {
          code: "not_supported",
          message:
            "The tool asks questions before it makes a task; this version can't answer those yet. Nothing was sent.",
        },
      });
      return 0;
  }
}

async function afterFailure(
  ctx: WatcherContext,
  entry: TaskEntry,
  attempt: string,
  error: PeerError,
): Promise<number> {
  const notRun =
    error.reached === "no" || ["unauthorized", "rate_limited", "session_gone"].includes(error.code);
  if (notRun) {
    if (error.code === "session_gone") entry.session = null;
    await change(ctx, entry, (tx) =>
      markNotStarted(ctx.organizationId, tx, entry.id, attempt, reasonOf(error)),
    );
    throw error;
  }
  if (error.code === "rejected" || error.code === "not_supported") {
    const message = error.rpcError?.message.slice(0, 2_000) ?? "The server refused the call.";
    await end(ctx, entry, { state: "failed", error: { code: "rejected", message } });
    return 0;
  }
  // Timed out, cut off, or answered with nonsense: the tool may have run. resolveStart() decides, after the deadline.
  ctx.log.warn({ taskId: entry.id, code: error.code }, "the outcome of a start is unknown");
  entry.stale = true;
  return DEFAULT_POLL_MS;
}

function reasonOf(error: PeerError): { code: string; message: string } {
  return { code: error.code, message: REASONS[error.code] ?? "The server could not be reached." };
}

const REASONS: Record<string, string> = {
  unauthorized: "The server refuses our credentials.",
  rate_limited: "The server is busy; the task starts when it takes calls again.",
  address_not_allowed: "The server's address is not allowed.",
};

const deafListener = {
  onQuestion: () => undefined,
  onRetracted: () => undefined,
  onStatus: () => undefined,
  onProgress: () => undefined,
  onEventId: () => undefined,
  onClosed: () => undefined,
};
