/**
 * The state machine of input requests, and whom an open one waits for. Pure, client-safe. docs/data-flow.md lists the files that write
 * each state.
 */
import { stateMachine } from "../base/state-machine.ts";
import type { InputRequestSummary, RequestState } from "./request-schema.ts";

export const requests = stateMachine<RequestState>({
  open: ["answered", "withdrawn", "expired", "undeliverable"],
  // open: undone
  answered: ["settled", "open", "withdrawn", "expired", "undeliverable"],
  // open: asked again by the server
  undeliverable: ["open"],
  settled: [],
  withdrawn: [],
  expired: [],
});

/** A request that waits for a person, or whose answer is on its way. */
export function isLive(state: RequestState): state is "open" | "answered" {
  return state === "open" || state === "answered";
}

/** A claim ends after this long without activity. */
export const CLAIM_IDLE_MS = 15 * 60_000;

/** Minimum time left after the first undo, even if the request would expire sooner. */
export const AFTER_UNDO_MS = 3_600_000;

/** How long reminders pause at most for a requester who was asked. */
export const PAUSED_AT_MOST_MS = 7 * 24 * 3_600_000;

/** A question changed within this time is restless: its text changes by itself. */
const RESTLESS_MS = 60_000;
/** Update interval of a restless question's text; it grows by half each time, up to the cap. */
const REWORD_MS = 30_000;
const REWORD_CAP_MS = 10 * 60_000;

/**
 * Judges an open request whose question was changed. replace: the new text becomes a request of its own,
 * which shows the difference. reword: the same request takes the new text, since the text changes again and
 * again. keep: the request was reworded too recently.
 */
export function judgeRewording(
  request: { ageMs: number; replaced: boolean; rewordedAgoMs: number | null; rewordings: number },
  /** The task has as many requests as a task may have. */
  isFull: boolean,
): "replace" | "reword" | "keep" {
  const { ageMs, replaced, rewordedAgoMs, rewordings } = request;
  if (rewordedAgoMs === null) return isFull || (replaced && ageMs < RESTLESS_MS) ? "reword" : "replace";
  const pace = Math.min(REWORD_CAP_MS, REWORD_MS * 1.5 ** Math.max(0, rewordings - 1));
  return rewordedAgoMs >= pace ? "reword" : "keep";
}

/**
 * Whether an open request waits for this person, who may answer: the rule of `waitingFor` in lists/filter.ts, by
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
