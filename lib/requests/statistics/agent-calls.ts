/** How calls of agents were decided: what a line of the history says of one. Pure. statistics-writes.ts reads and writes. */
import type { FollowedEvent } from "../../history/events/follow.ts";

/** `rule`: by a call rule, or as the agent was granted the tool. `refused`: by a rule or a person, or in time by nobody. */
export type CallWay = "rule" | "standing_approval" | "person" | "refused";

/** Tools by which agents ask people: their tasks are no calls that somebody allows. */
export const HUMAN_TOOLS = ["ask_person", "request_approval"] as const;

/** Facts about the task of an agent's call that its lines lack. */
export interface AgentsTask {
  /** Null: nobody had to approve the call. */
  gate: string | null;
  /** The call passed by an approval for a while. */
  isCovered: boolean;
  /** The task is the question of a program's hook: Intray makes no call. */
  isHooks: boolean;
  /** The last answer to its question is an approval. */
  isAccepted: boolean;
}

const TYPES: ReadonlySet<string> = new Set([
  "agent.call_allowed",
  "agent.call_denied",
  "task.queued",
  "task.approved",
  "task.failed",
  "task.completed",
]);

/** Returns true if lines of this type may say how a call was decided. */
export function maySay(type: string): boolean {
  return TYPES.has(type);
}

/** Each call is decided by one line; all others return null. `task`: undefined for a line of no agent's call. */
export function wayOf(
  { type, actor }: Pick<FollowedEvent, "type"> & { actor: Pick<FollowedEvent["actor"], "kind"> },
  task: AgentsTask | undefined,
): CallWay | null {
  if (type === "agent.call_allowed") return "rule";
  if (type === "agent.call_denied") return "refused";
  if (!task) return null;
  if (task.isHooks) {
    if (type !== "task.completed") return null;
    return task.isAccepted ? "person" : "refused";
  }
  if (type === "task.queued" && task.gate === null) return task.isCovered ? "standing_approval" : "rule";
  if (type === "task.approved") return actor.kind === "rule" ? "rule" : "person";
  if (type === "task.failed" && (task.gate === "declined" || task.gate === "expired")) return "refused";
  return null;
}
