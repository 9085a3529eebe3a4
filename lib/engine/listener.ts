import { NEWS } from "../mcp/limits.ts";
import type { StreamListener } from "../mcp/peer.ts";
import type { TaskEntry, WatcherContext } from "./entry.ts";
import { lookSoon } from "./notices.ts";
import { sessionDigest } from "./sealed.ts";
import { askedUnder, attribute, type LiveSession } from "./sessions.ts";
import { type StreamNews, setCalls, setRare } from "./task-state.ts";

/**
 * What a stream of a session brings is noted with the task that it belongs to, whose next step stores it.
 * `owner`: the task whose own call or `tasks/result` the stream is; null for the standalone one.
 */
export function listenerOf(
  ctx: WatcherContext,
  live: LiveSession,
  owner: TaskEntry | null,
  onClosed: () => void,
): StreamListener {
  // Said once a stream, however much comes on it.
  let hasWarned = false;
  const warn = (message: string) => {
    if (!hasWarned) ctx.log.warn({ serverId: ctx.serverId }, message);
    hasWarned = true;
  };
  const note = (task: TaskEntry, news: StreamNews) => {
    if (task.rare.news.length >= NEWS)
      return warn("a server floods a stream with questions; the rest is not taken");
    setRare(task, { news: [...task.rare.news, news] });
    ctx.wake(task.id, 0);
  };
  return {
    onQuestion(question, relatedTaskId) {
      const task = attribute(live, owner, relatedTaskId, ctx.taskByHandle);
      // A call that is no task has no task to be named.
      if (relatedTaskId !== null) ctx.learn({ namesTask: true });
      else if (task?.handle && ctx.traits.namesTask === undefined) ctx.learn({ namesTask: false });
      if (!task) return warn("a question came that no task can be told for; nobody is asked");
      note(task, { kind: "question", question, session: live.kept });
    },
    onRetracted(rpcId) {
      for (const task of askedUnder(live, sessionDigest(ctx, live.kept).toString("hex"), rpcId))
        note(task, { kind: "retracted", rpcId, session: live.kept });
    },
    onStatus(taskId) {
      const task = ctx.taskByHandle(taskId);
      if (!task) return;
      ctx.learn({ notifies: true });
      lookSoon(ctx, task);
    },
    onProgress(token, progress, total, message) {
      // The token of a call is our id of its task.
      const task = ctx.task(String(token));
      if (!task) return;
      setRare(task, { progress: { progress, total, message } });
      lookSoon(ctx, task);
    },
    onEventId(eventId) {
      if (!owner) return;
      setCalls(owner, { ownEventId: eventId });
      owner.idsChanged = true;
    },
    onClosed(reason) {
      onClosed();
      if (reason !== "closed_here") for (const task of owner ? [owner] : live.tasks) ctx.wake(task.id, 1_000);
    },
  };
}
