import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import {
  OUTCOME_TONES,
  type Outcome,
  outcomeOf,
  requestLabel,
  requestTone,
  WARNING_LABELS,
  wayWords,
} from "@/lib/requests/words/request-labels.ts";
import type { Tone } from "@/lib/text/labels.ts";
import { acceptBlocker, requestBlocker } from "../answer/answer-blockers.ts";
import type { StableRow } from "./row-changes.ts";

/** A badge of a row. `time`: the time left until an instant, in place of words. */
export type RowBadge =
  | {
      words: string;
      tone?: Tone;
      icon?: Outcome | "warning" | "gone" | "gate" | "lock" | "talk" | "clock" | "ended";
      more?: string;
    }
  | { time: string };

type Badged = Pick<
  InputRequestSummary,
  | "state"
  | "origin"
  | "tool"
  | "delivery"
  | "answer"
  | "approval"
  | "requestedBy"
  | "claimedBy"
  | "task"
  | "fourEyes"
  | "mode"
  | "urlOwner"
  | "actions"
  | "warnings"
  | "gate"
  | "expiresAt"
  | "assignedTo"
  | "askedAgain"
  | "needsInfo"
  | "snoozedUntil"
  | "comments"
>;

/** Returns the badges of a row, in order. */
export function rowBadges(
  request: Badged,
  { gone, decision }: Pick<StableRow, "gone" | "decision">,
  me: { user: { id: string; name: string; email: string } },
): RowBadge[] {
  const { state, origin, answer, approval, claimedBy, assignedTo, needsInfo, comments } = request;
  if (state !== "open") {
    const isDecided = state === "settled" || state === "answered";
    if (!isDecided || !answer) {
      const icon = state === "undeliverable" ? "warning" : state === "expired" ? "clock" : "ended";
      return [{ words: requestLabel(request), tone: requestTone(request), icon }];
    }
    const outcome = outcomeOf(answer);
    // A row that has left the list is not read again.
    const isOnItsWay = state === "answered" && !gone;
    const way = origin === "intray" ? "not final yet" : wayWords(request).toLowerCase();
    const words = `${answer.words} by ${actorWords(answer.by)}${isOnItsWay ? ` · ${way}` : ""}`;
    return [{ words, tone: OUTCOME_TONES[outcome], icon: outcome }];
  }
  if (gone && approval?.why === "already_voted")
    return [{ words: approval.mine?.agrees === false ? "You rejected" : "You agreed", icon: "gone" }];
  if (gone) return [{ words: "No longer waiting", icon: "gone" }];
  if (decision === "recording") return [{ words: "Recording your decision…", icon: "clock" }];
  const blocker = requestBlocker(request, me) ?? acceptBlocker(request, me);
  const isMe = ({ id }: { id: string }) => id === me.user.id;
  const badges: (RowBadge | false | null)[] = [
    decision === "refused" && { words: "Not recorded", tone: "bad", icon: "warning" },
    ...request.warnings.map(
      (warning): RowBadge => ({
        words: WARNING_LABELS[warning],
        tone: "bad",
        icon: "warning",
      }),
    ),
    request.gate && { words: "Approval before the call", icon: "gate" },
    request.mode === "url" && { words: "Opens a site", tone: "accent" },
    request.expiresAt !== null && { time: request.expiresAt },
    blocker && { words: blocker.short, icon: "lock" },
    claimedBy && isMe(claimedBy) && { words: "Claimed by you" },
    // The person who has claimed it decides, even if it was assigned to another.
    assignedTo &&
      !claimedBy && { words: isMe(assignedTo) ? "Assigned to you" : `Assigned to ${assignedTo.name}` },
    request.askedAgain && { words: "Asked again" },
    needsInfo && {
      words: `Waiting for ${isMe(needsInfo.of) ? "you" : needsInfo.of.name}`,
      tone: "wait",
      icon: "talk",
    },
    request.snoozedUntil !== null && { words: "Snoozed", icon: "clock" },
    comments > 0 && { words: String(comments), icon: "talk", more: comments === 1 ? "comment" : "comments" },
  ];
  return badges.filter((badge): badge is RowBadge => Boolean(badge));
}
