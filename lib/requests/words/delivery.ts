import { actorWords } from "../../access/actor-words.ts";
import type { TaskState } from "../../tasks/task-status.ts";
import type { InputRequestDetail, InputRequestSummary } from "../request-schema.ts";

/**
 * How far an answer has come, in one line. `held`: can be undone. `sending`: is being tried. `accepted`: the
 * server has the answer. `failed`: the server never gets it. `undone`: the question is open again.
 */
export type DeliveryStage = "held" | "sending" | "accepted" | "failed" | "undone";

export function deliveryStage({
  state,
  delivery,
}: Pick<InputRequestSummary, "state" | "delivery">): DeliveryStage {
  if (state === "open") return "undone";
  switch (delivery?.state) {
    case "held":
      return "held";
    case "pending":
    case "sending":
      return "sending";
    case "accepted":
    case "confirmed":
      return "accepted";
    default:
      return "failed";
  }
}

/**
 * Returns what an answer's progress means for the reader, or null if the ending is told elsewhere. `mayUndo`: the reader
 * may take a held answer back.
 */
export function deliveryMeaning({
  origin,
  gate,
  requestedBy,
  delivery,
  server,
  connectionState,
  task,
  mayUndo,
}: Pick<InputRequestDetail, "origin" | "gate" | "requestedBy" | "delivery" | "server" | "connectionState"> & {
  task: Pick<InputRequestDetail["task"], "state">;
  mayUndo: boolean;
}): string | null {
  if (origin === "intray")
    return ownMeaning(delivery, gate ? "The call" : `The answer for ${actorWords(requestedBy)}`, mayUndo);
  if (server.pause && (delivery?.state === "held" || delivery?.state === "pending"))
    return `It is kept, and goes to ${server.name} when the server’s pause ends.`;
  switch (delivery?.state) {
    case "held":
      return mayUndo ? "Not sent yet. You can still undo it." : "Not sent yet.";
    case "pending":
      if (task.state === "start_unknown")
        return "It is kept until somebody says on the task’s page whether the task started.";
      if (connectionState === "needs_reauth" || connectionState === "not_connected")
        return `It is kept, and goes to ${server.name} once somebody has signed in there.`;
      if (delivery.acceptedAt)
        return `${server.name} accepted it once, and asked again. Intray sends it again now.`;
      if (delivery.waitingFor === "fetch")
        return `It is ready. ${server.name} asked its question as a task, and fetches the answer itself.`;
      if (delivery.waitingSince)
        return `${server.name} no longer asks this question. Intray keeps asking for it, and sends the answer once the server asks again.`;
      if (delivery.inDoubt)
        return `${server.name} may have it: its reply was lost, and it still asks. Intray sends it again now.`;
      return delivery.attempts > 0
        ? `It has not reached ${server.name} yet. Intray keeps trying.`
        : `Intray sends it to ${server.name} now.`;
    case "sending":
      return `Intray sends it to ${server.name} now.`;
    case "accepted":
      return delivery.flagged ? null : `${server.name} has it. The task has not moved on yet.`;
    case "confirmed":
      if (needsNoSending(delivery)) return `Nothing had to be sent: ${server.name} is not called again.`;
      if (!delivery.acceptedAt)
        return `${server.name}’s reply was lost, and the task moved on: most likely with this answer.`;
      return hasVanished(task.state)
        ? `${server.name} has it. The task ended before it showed its reaction.`
        : `${server.name} has it, and the task moved on.`;
    default:
      return null;
  }
}

/** Of a question of Intray's own, whose answer goes to no server. */
function ownMeaning(delivery: InputRequestDetail["delivery"], what: string, mayUndo: boolean): string | null {
  if (delivery?.state === "held")
    return mayUndo ? `${what} waits. You can still undo the decision.` : `${what} waits for a moment.`;
  return delivery?.state === "pending" ? "Intray carries it out now." : null;
}

type Known = Pick<InputRequestSummary, "origin" | "gate" | "requestedBy"> & {
  task: Pick<InputRequestSummary["task"], "fetchedAt">;
};

/** When the agent that asked fetched the answer; null: it has not, or another asked. Of a call, an agent fetches the tool's result. */
export function answerFetchedAt({ origin, gate, task }: Known): string | null {
  return origin === "intray" && !gate ? task.fetchedAt : null;
}

/** Whether an agent asked, and has not fetched the answer yet. Nobody knows when a key's program or a person reads theirs. */
export function awaitsAgent(request: Known): boolean {
  const { origin, gate, requestedBy } = request;
  return origin === "intray" && !gate && requestedBy.kind === "agent" && answerFetchedAt(request) === null;
}

/** How far an answer got that is final and needs no message to a server, within a sentence. */
export function receivedWords(request: Known & Pick<InputRequestSummary, "answer">): string {
  const { origin, gate, requestedBy, answer } = request;
  if (gate) return answer?.action === "accept" ? "the call goes ahead" : "the call is not made";
  if (origin === "server") return "nothing had to be sent";
  const who = actorWords(requestedBy);
  if (answerFetchedAt(request) !== null) return `fetched by ${who}`;
  return requestedBy.kind === "member" ? `${who} sees it on the task’s page` : `${who} gets it when it asks`;
}

/** Whether the answer took effect without any message to the server. */
export function needsNoSending({
  state,
  attempts,
}: Pick<NonNullable<InputRequestSummary["delivery"]>, "state" | "attempts">): boolean {
  return state === "confirmed" && attempts === 0;
}

/** Whether the task ended in a way that proves nothing about its answers. */
export function hasVanished(state: TaskState): boolean {
  return state === "cancelled" || state === "lost" || state === "expired";
}
