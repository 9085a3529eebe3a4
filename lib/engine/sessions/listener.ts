import { randomUUID } from "node:crypto";
import { handleDigest } from "../../lifecycle/found-tasks/handle.ts";
import { cutToLimits } from "../../mcp/forms/shown.ts";
import { discreetQuestion } from "../../mcp/messages.ts";
import type { AsTask, Question, RpcId, StreamListener, Via } from "../../mcp/peer.ts";
import { hiding, IN_MESSAGES } from "../../mcp/wire/hide.ts";
import { sessionDigest } from "../task/task-secrets.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { LiveSession, WatchedTask } from "../watcher/watched-task.ts";
import { clockMs, setCalls, setCold } from "../watcher/watched-task.ts";
import { askersInTurn } from "./sessions.ts";
import { pollSoon } from "./subscription.ts";

/**
 * Hears a stream of a session. Questions, and questions taken back, go to the watcher's inbox, which stores them as they are.
 * `owner`: the task whose own call or `tasks/result` the stream is; null for the standalone one.
 */
export function listenerOf(
  ctx: WatcherContext,
  session: LiveSession,
  owner: WatchedTask | null,
  onClosed: () => void,
): StreamListener {
  // Said once a stream, however much comes on it.
  let hasWarned = false;
  const receive = (
    rpcId: RpcId,
    question: Question | null,
    handles: string[],
    via: Via,
    asTask: AsTask | null = null,
  ) => {
    const [handle = null] = handles.length === 1 ? handles : [];
    const turnOf = via === "channel" && owner && session.asking === owner ? owner : null;
    const among = handle === null ? mayHaveAsked(ctx, session, turnOf, handles) : null;
    // A channel has no streams: that only the owner's request was open proves nothing.
    const isOwners = via !== "channel" || handle !== null || (among?.length === 1 && among[0] === owner?.id);
    const isTaken = ctx.receive(
      {
        sessionDigest: sessionDigest(ctx, session.record),
        rpcId,
        question,
        streamTaskId: isOwners ? (owner?.id ?? null) : null,
        replayed: via === "replay",
        namedDigest: handle === null ? null : handleDigest(ctx.seal, ctx.organizationId, handle),
        // The id is all that it takes to read the answer: random, and not of the kind that tells the time.
        ...(asTask && { elicitationTask: { id: randomUUID(), ttlMs: asTask.ttlMs } }),
      },
      session,
      { handle, via, among, turnOf: turnOf?.id ?? null },
    );
    if (isTaken || hasWarned) return;
    hasWarned = true;
    ctx.log.warn(
      { serverId: ctx.serverId },
      "a server floods a stream with questions; the rest is not taken",
    );
  };
  return {
    onQuestion(question, relatedTaskId, via, asTask) {
      const { address } = question;
      if (address.kind !== "rpc") return;
      const handles = relatedTaskId === null ? session.announced.take(question, clockMs()) : [relatedTaskId];
      if (handles.length > 0) ctx.learn({ namesTask: true });
      if (asTask) ctx.learn({ putsTasks: true });
      // The id stands for this question from now on.
      ctx.dropTaskRequest(address.rpcId, session);
      // Masked here too: the handle of an announced question is known only now.
      const discreet = discreetQuestion(question, hiding(handles, IN_MESSAGES));
      receive(address.rpcId, cutToLimits(discreet), handles, via, asTask);
    },
    onTaskRequest(request) {
      ctx.takeTaskRequest(request, session);
    },
    onRetracted(rpcId) {
      ctx.dropTaskRequest(rpcId, session);
      receive(rpcId, null, [], "stream");
    },
    onStatus(taskId, announced) {
      if (announced) session.announced.note(taskId, announced, clockMs());
      const task = ctx.taskByHandle(taskId);
      if (!task) return;
      ctx.learn({ notifies: true });
      pollSoon(ctx, task);
    },
    onProgress(token, progress, total, message) {
      // The token of a call is our id of its task.
      const task = ctx.task(String(token));
      if (!task) return;
      setCold(task, { progress: { progress, total, message } });
      pollSoon(ctx, task);
    },
    onEventId(eventId) {
      if (!owner) return;
      setCalls(owner, { ownEventId: eventId });
      owner.idsChanged = true;
    },
    onClosed(reason) {
      onClosed();
      if (reason !== "closed_here")
        for (const task of owner ? [owner] : session.tasks) ctx.wake(task.id, 1_000);
    },
  };
}

/**
 * Returns the ids of the tasks that may have put a question which names none. Null: all that may ask in the session. `handles`:
 * the tasks that announced these words.
 */
function mayHaveAsked(
  ctx: WatcherContext,
  session: LiveSession,
  turnOf: WatchedTask | null,
  handles: string[],
): string[] | null {
  const announced = handles.flatMap((handle) => ctx.taskByHandle(handle)?.id ?? []);
  if (announced.length > 0) return announced;
  return turnOf && askersInTurn(session, turnOf);
}
