import type { InputRequestSummary } from "./request-schema.ts";

/**
 * Whether an open request waits for this person, who may answer: the rule of `waitingFor` in filter.ts, by
 * which lists and counts find it. An API key has no `userId`, and no browser to visit a site.
 */
export function waitsFor(
  request: Pick<
    InputRequestSummary,
    | "assignedTo"
    | "standsInFor"
    | "claimedBy"
    | "fourEyes"
    | "approval"
    | "mode"
    | "urlOwner"
    | "snoozedUntil"
  >,
  userId: string | null,
): boolean {
  const isFree = (holder: { id: string } | null) => holder === null || holder.id === userId;
  return (
    (isFree(request.assignedTo) || request.standsInFor !== null) &&
    isFree(request.claimedBy) &&
    !request.fourEyes &&
    request.snoozedUntil === null &&
    (request.approval === null || request.approval.canVote) &&
    (request.mode === "form" || (userId !== null && isFree(request.urlOwner)))
  );
}
