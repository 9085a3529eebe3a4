import type { Me } from "@/components/shell/session/me.tsx";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { acceptBlocker, requestBlocker } from "../answer-blockers.ts";

type Assigned = Pick<
  InputRequestSummary,
  | "state"
  | "task"
  | "approval"
  | "requestedBy"
  | "claimedBy"
  | "assignedTo"
  | "mode"
  | "urlOwner"
  | "fourEyes"
  | "actions"
>;

/** Returns what this person can do about who has a request. Nothing is offered that lib/requests/claims would refuse. */
export function assignmentOffer(request: Assigned, me: Pick<Me, "user" | "may">) {
  const { claimedBy, assignedTo, approval } = request;
  const takesSteps =
    request.state === "open" && request.task.cancelRequestedAt === null && me.may("requests:answer");
  const isOperator = me.may("requests:assign");
  const isFree = (holder: { id: string } | null) => holder === null || holder.id === me.user.id;
  // Only who may accept a request may have it.
  const mayHave =
    takesSteps && !requestBlocker({ ...request, claimedBy: null }, me) && !acceptBlocker(request, me);
  const claim = claimedBy?.id === me.user.id ? "release" : mayHave && claimedBy === null ? "claim" : null;
  return {
    claim: takesSteps ? claim : null,
    takeOver: mayHave && isOperator && !isFree(claimedBy),
    toMe: mayHave && isOperator && assignedTo?.id !== me.user.id,
    unassign: takesSteps && isOperator && assignedTo !== null,
    /** To others: operators always, others what is nobody's or theirs. */
    give: takesSteps && (isOperator || (isFree(assignedTo) && isFree(claimedBy))),
    snooze: takesSteps,
    /** Who asked for the task would choose who decides on it. */
    judgeAgain: takesSteps && approval !== null && !approval.hasAsked && me.may("settings:manage"),
  } as const;
}
