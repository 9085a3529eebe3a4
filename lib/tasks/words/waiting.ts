/** What a live task waits for, in words: pure. */
import { actorWords } from "../../access/actor-words.ts";
import { type EventWords, say } from "../../history/events/event-words.ts";
import { formatDuration } from "../../text/duration.ts";
import { plural } from "../../text/labels.ts";
import type { TaskDetail } from "../task-schema.ts";
import { isLive } from "./state-labels.ts";

type Waiting = Pick<
  TaskDetail,
  | "state"
  | "server"
  | "connection"
  | "attention"
  | "nextAttemptAt"
  | "inputRequests"
  | "error"
  | "progress"
  | "ahead"
>;

/**
 * The first reason that holds, from what stops every task to what stops this one; null for a task that has
 * ended. `now` in ms. Texts of servers and people inside are untrusted and stay texts.
 */
export function waitingWords(task: Waiting, now: number): EventWords | null {
  const { state, server, connection, attention, inputRequests } = task;
  if (!isLive(state)) return null;
  if (state === "start_unknown")
    return say("Waiting for an operator to settle whether the server took the call", "wait");
  const asks = inputRequests.some((request) => request.state === "open");
  const needsServer = !asks || inputRequests.some((request) => request.state === "answered");
  if (attention?.code === "no_engine") return say("Waiting for an engine: none is running", "bad");
  if (needsServer && server.pause)
    return say(
      `Waiting: ${actorWords(server.pause.by)} paused ${server.name}`,
      "wait",
      server.pause.reason ?? undefined,
    );
  if (needsServer && connection.state !== "connected")
    return say(`Waiting for a sign-in at ${server.name}`, "bad");
  const openMs = connection.circuitOpenUntil ? Date.parse(connection.circuitOpenUntil) - now : 0;
  if (needsServer && (openMs > 0 || FAILING.includes(attention?.code ?? "")))
    return say(
      `Waiting for ${server.name}, which ${attention?.code === "server_failing" ? "answers with errors" : "can’t be reached"}${openMs > 0 ? `; tried again in ${formatDuration(openMs)}` : ""}`,
      "bad",
    );
  if (asks) return say("Waiting for a person", "wait");
  if (inputRequests.some((request) => request.state === "answered"))
    return say("Waiting for the answer to be delivered", "wait");
  if (task.nextAttemptAt)
    return say(
      `Waiting to be tried again in ${formatDuration(Math.max(0, Date.parse(task.nextAttemptAt) - now))}`,
      "wait",
    );
  if (state === "queued" && task.ahead > 0)
    return say(
      `Waiting to start: ${plural(task.ahead, "earlier task")} of ${server.name} ${task.ahead === 1 ? "waits" : "wait"} too`,
      "wait",
      task.error?.message,
    );
  if (state === "queued") return say("Waiting for an engine to start it", "wait", task.error?.message);
  if (state === "starting") return say(`Waiting for ${server.name} to take the call`);
  return say(`${server.name} is working on it`, "neutral", task.progress?.message ?? undefined);
}

const FAILING: readonly string[] = ["server_unreachable", "server_failing"];
