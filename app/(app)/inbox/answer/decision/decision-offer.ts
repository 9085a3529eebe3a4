import type { Me } from "@/components/shell/session/me.tsx";
import { type Choice, type Decision, decisionOn, isApproval } from "@/lib/requests/decision.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import type { Trouble } from "@/lib/web/client/connection.ts";
import { acceptBlocker, answerBlocker, troubleBlocker } from "../answer-blockers.ts";
import { assignmentOffer } from "../assignment/assignment-offer.ts";
import type { Decided } from "../decided.ts";

type Question = Pick<
  InputRequestDetail,
  "fields" | "mode" | "actions" | "warnings" | "previous" | "rewordedAt" | "origin" | "gate" | "tool"
>;
type Request = Pick<
  InputRequestDetail,
  | "state"
  | "approval"
  | "claimedBy"
  | "assignedTo"
  | "task"
  | "rewordedAt"
  | "fourEyes"
  | "mode"
  | "urlOwner"
  | "actions"
>;

/** What has to be seen before accepting. */
export interface Seen {
  change: boolean;
  figures: boolean;
}

/** Returns what has to be seen before accepting. A question that keeps changing has a tick of its own. */
export function asksToSee({
  previous,
  rewordedAt,
  warnings,
}: Pick<Question, "previous" | "rewordedAt" | "warnings">): Seen {
  return {
    change: previous !== null && rewordedAt === null,
    figures: warnings.some((warning) => warning !== "destructive"),
  };
}

/** Whether a slip could do harm here: some choices want a second look, or to be held. */
export function isGuarded({ warnings, previous }: Pick<Question, "warnings" | "previous">): boolean {
  return warnings.length > 0 || previous !== null;
}

/** Returns what this person can do with the request now, and why the rest is not possible. */
export function decisionOffer({
  question,
  request,
  me,
  trouble,
  blocked,
  agreed,
  seen,
  explained,
  cautious,
}: {
  /** The question on the screen. */
  question: Question;
  /** The latest state of the request. */
  request: Request;
  me: Pick<Me, "user" | "may" | "view">;
  trouble: Trouble | null;
  /** The server no longer asks the question on the screen. */
  blocked: boolean;
  /** The person has ticked that any wording of a changing question is answered. */
  agreed: boolean;
  seen: Seen;
  /** The person has written a comment here. */
  explained: boolean;
  /** A single key must not decide. */
  cautious: boolean;
}) {
  const decision = decisionOn(question);
  const away = troubleBlocker(trouble);
  /** Why this person may not answer; the fields are off then. */
  const barred = answerBlocker(request, me, blocked);
  const changing = request.rewordedAt !== null && !agreed;
  const reason =
    away ?? barred ?? (changing ? "This question keeps changing. Tick the box above first." : null);
  const acceptBarred = acceptBlocker(request, me)?.sentence ?? null;
  const asked = asksToSee(question);
  const claimedByMe = request.claimedBy?.id === me.user.id;
  const claimedByOther = request.claimedBy !== null && !claimedByMe;
  const answering = request.state === "open" && me.may("requests:answer");
  const assignment = assignmentOffer(request, me);
  const manyChoices =
    decision.kind === "form" || (decision.kind === "choices" && decision.choices.length > 2);
  return {
    decision,
    barred,
    /** Why no decision is possible. */
    reason,
    /** Why the request cannot be accepted, though it may be declined. */
    acceptReason: reason ?? acceptBarred,
    /** Why the fields are off. */
    fieldsOff: (barred ?? acceptBarred) !== null,
    asked,
    /** What has to be done before accepting. */
    unseen:
      asked.change && !seen.change
        ? "Review what changed and tick the box above."
        : asked.figures && !seen.figures && !explained
          ? "Tick the box above, or write a comment."
          : null,
    answering,
    claimedByMe,
    /** The bar says who has claimed the request, and how to get it. */
    tellsClaim: away === null && claimedByOther && me.may("requests:answer"),
    declines: answering && reason === null && question.actions.includes("decline"),
    takesOver: assignment.takeOver,
    claim: away === null ? assignment.claim : null,
    snoozes: assignment.snooze && away === null,
    /** The key moves the focus to its button, and Enter decides. */
    onlyFocus: { affirmative: cautious || manyChoices || question.mode === "url", other: manyChoices },
  } as const;
}

/** Where declining stands: in the menu if the form has choices of its own, because it is a different thing then. */
export function declinePlace(
  { actions }: Pick<Question, "actions">,
  decision: Decision,
): "bar" | "menu" | null {
  if (!actions.includes("decline")) return null;
  return decision.kind === "choices" ? "menu" : "bar";
}

/** A button of the bar that decides. */
export interface DecisionButton {
  label: string;
  /** `A`, `R`, `3` or `4`. */
  shortcut: string;
  primary: boolean;
  /** The choice that a press sends; null: the whole form, or an answer without choices. */
  choice: Choice | null;
  /** The press sends what is filled in. */
  sendsForm: boolean;
  /** The content that a press sends, unless it sends the form. */
  content: Record<string, unknown> | undefined;
  /** The site has to be opened first. */
  opensFirst: boolean;
}

/** Returns the buttons that decide: one per choice, or one for the whole form; none if the form can't be shown. */
export function decisionButtons(
  question: Pick<Question, "mode" | "origin" | "gate" | "tool">,
  decision: Decision,
): DecisionButton[] {
  const single = {
    shortcut: "A",
    primary: true,
    choice: null,
    sendsForm: false,
    content: undefined,
    opensFirst: false,
  };
  if (question.mode === "url") return [{ ...single, label: "Continue the task", opensFirst: true }];
  switch (decision.kind) {
    case "none":
      return [];
    case "confirm":
      return [{ ...single, label: isApproval(question) ? "Approve" : "Confirm", content: {} }];
    case "form":
      return [
        { ...single, label: isApproval(question) ? "Approve and send" : "Send answer", sendsForm: true },
      ];
    case "choices":
      return decision.choices.map((choice, index) => ({
        ...single,
        label: choice.label,
        shortcut: ["A", "R"][index] ?? String(index + 1),
        primary: index === 0 && choice.affirmative,
        choice,
        content: choice.content,
      }));
  }
}

/** Labels up to this length share a line on a phone; more than two or longer ones get lines of their own. */
const SHORT = 14;

export const isLong = ({ label }: { label: string }): boolean => label.length > SHORT;

export function needsRoom(decision: Decision): boolean {
  if (decision.kind !== "choices") return false;
  return decision.choices.length > 2 || decision.choices.some(isLong);
}

/**
 * Returns what a key does to its button. A button that is off leads to the tick that it waits for. A question
 * out of view is shown first, so that a person reads it before deciding.
 */
export function keyPress({
  off,
  inView,
  onlyFocus,
}: {
  off: boolean;
  inView: boolean;
  onlyFocus: boolean;
}): "lead to the tick" | "show the question" | "focus" | "press" {
  if (off) return "lead to the tick";
  if (!inView) return "show the question";
  return onlyFocus ? "focus" : "press";
}

/** Whether a person gives the same answer again. */
export function isSame(one: Decided, other: Decided): boolean {
  return one.action === other.action && JSON.stringify(one.content) === JSON.stringify(other.content);
}
