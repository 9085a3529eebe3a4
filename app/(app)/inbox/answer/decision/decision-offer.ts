import type { Me } from "@/components/shell/session/me.tsx";
import type { Fold } from "@/components/text/folds.tsx";
import {
  type Choice,
  type Decision,
  decisionOn,
  isApproval,
  isOwnNo,
} from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { affirms, denies } from "@/lib/text/foreign/yes-no.ts";
import { humanise, plural, splitSent } from "@/lib/text/labels.ts";
import type { Trouble } from "@/lib/web/client/connection.ts";
import { acceptBlocker, answerBlocker, troubleBlocker } from "../answer-blockers.ts";
import { assignmentOffer } from "../assignment/assignment-offer.ts";
import type { Decided } from "../decided.ts";

type Question = Pick<
  InputRequestDetail,
  | "fields"
  | "mode"
  | "actions"
  | "warnings"
  | "previous"
  | "rewordedAt"
  | "origin"
  | "gate"
  | "tool"
  | "editable"
  | "approval"
  | "requestedBy"
  | "standingNeedsAdmin"
>;
type Request = Pick<
  InputRequestDetail,
  | "state"
  | "approval"
  | "requestedBy"
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

function isAmong(values: unknown[], { content }: Choice): boolean {
  return Object.values(content).every((value) => values.includes(value));
}

/**
 * How a button of a question that warns or has changed is guarded: a harmless choice is one press, any other
 * waits until the warnings are seen, and a choice that destroys is held. `choice`: null for the whole form.
 */
export function guardOf(
  { warnings, harmless }: Pick<InputRequestDetail, "warnings" | "harmless">,
  choice: Choice | null,
): "none" | "look" | "hold" {
  if (choice && isAmong(harmless, choice)) return "none";
  return warnings.includes("destructive") ? "hold" : "look";
}

/**
 * Whether a press opens what is folded away instead of deciding: nobody has read it yet. A plain no is possible without.
 */
export function readsFirst(
  unopened: Fold[],
  { harmless }: Pick<InputRequestDetail, "harmless">,
  choice: Choice | null,
): boolean {
  return unopened.length > 0 && !(choice && isAmong(harmless, choice));
}

/** Whether sending a form opens what is folded away first. The form's own no is possible without. */
export function formReadsFirst(
  unopened: Fold[],
  { rejection }: Pick<InputRequestDetail, "rejection">,
  content: Record<string, unknown>,
): boolean {
  return unopened.length > 0 && !isOwnNo(rejection, content);
}

/**
 * What a form sends. Beside its own no and the reason, the screen sends nothing that it has filled in by itself: then it would be no
 * plain no any more.
 */
export function contentToSend(
  { fields, rejection }: Pick<InputRequestDetail, "fields" | "rejection">,
  content: Record<string, unknown>,
): Record<string, unknown> {
  if (rejection === null || fields.kind !== "supported") return content;
  const defaults = new Map(fields.fields.map((field) => [field.name, field.default]));
  const isKept = ([name, value]: [string, unknown]) =>
    name in rejection.content || name === rejection.reasonField || value !== defaults.get(name);
  const without = Object.fromEntries(Object.entries(content).filter(isKept));
  return isOwnNo(rejection, without) ? without : content;
}

const FOLD_WORDS: Record<Fold["what"], (count: number, folds: number) => string> = {
  message: () => "the rest of the message",
  fields: (count) => plural(count, "more field"),
  lines: (count) => plural(count, "more line"),
  text: (_, folds) => (folds === 1 ? "a long text" : `${folds} long texts`),
  values: (count) => plural(count, "more value"),
  hidden: (count) => `what is said about ${plural(count, "hidden place")}`,
  documents: (count) => (count === 1 ? "a document" : `${count} documents`),
};

/** Says what a press has opened: `You have not seen all of the request yet: 12 more fields and a long text. …` */
export function readFirstWords(unopened: Fold[]): string {
  const kinds = (Object.keys(FOLD_WORDS) as Fold["what"][]).flatMap((what) => {
    const folds = unopened.filter((fold) => fold.what === what);
    const count = folds.reduce((sum, fold) => sum + fold.count, 0);
    return folds.length > 0 ? [FOLD_WORDS[what](count, folds.length)] : [];
  });
  return `You have not seen all of the request yet: ${inList(kinds)}. Read this, then press again to decide.`;
}

/** `a, b and c` */
function inList(words: string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
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
  const anyReason =
    away ??
    barred ??
    (changing ? "This question keeps changing. Tick the box above before you decide." : null);
  const acceptBarred = acceptBlocker(request, me)?.sentence ?? null;
  const asked = asksToSee(question);
  const claimedByMe = request.claimedBy?.id === me.user.id;
  const claimedByOther = request.claimedBy !== null && !claimedByMe;
  const answering = request.state === "open" && me.may("requests:answer");
  const assignment = assignmentOffer(request, me);
  const unseen =
    asked.change && !seen.change
      ? "Review what changed and tick the box above."
      : asked.figures && !seen.figures && !explained
        ? "Tick the box above, or write a comment, to continue."
        : null;
  const manyChoices =
    decision.kind === "form" || (decision.kind === "choices" && decision.choices.length > 2);
  return {
    decision,
    barred,
    /** Why no decision of any kind is possible. */
    anyReason,
    /** Why the request cannot be accepted, though it may be declined. */
    acceptReason: anyReason ?? acceptBarred,
    /** Why the fields are off. */
    fieldsOff: (barred ?? acceptBarred) !== null,
    asked,
    /** What has to be done before accepting. */
    unseen,
    answering,
    claimedByMe,
    /** The bar says who has claimed the request, and how to get it. */
    tellsClaim: away === null && claimedByOther && me.may("requests:answer"),
    declines: answering && anyReason === null && question.actions.includes("decline"),
    /** Approving the call with other arguments. */
    edits: answering && (anyReason ?? acceptBarred ?? unseen) === null && question.editable,
    stands: answering && (anyReason ?? acceptBarred ?? unseen) === null && standOffer(question, me) === "yes",
    revises: answering && anyReason === null && mayRevise(question),
    takesOver: assignment.takeOver,
    claim: away === null ? assignment.claim : null,
    snoozes: assignment.snooze && away === null,
    /** The key moves the focus to its button, and Enter decides. */
    onlyFocus: {
      affirmative: cautious || manyChoices || question.mode === "url" || !hasYes(decision),
      other: manyChoices,
    },
  } as const;
}

/** Whether the first choice says yes: without one there is no affirmative button, and no choice is a no to it. */
function hasYes(decision: Decision): boolean {
  return decision.kind !== "choices" || decision.choices[0]?.affirmative === true;
}

/** Whether a person who says no has to give a reason. */
export function needsReason({ approval }: Pick<InputRequestDetail, "approval">): boolean {
  const stage = approval?.stages.find(({ state }) => state === "open");
  return stage?.requireReason.includes("reject") ?? false;
}

/** Whether a press of the form's own no asks for the reason first, since without one it would be refused. */
export function asksWhy(
  request: Pick<InputRequestDetail, "approval" | "rejection">,
  content: Record<string, unknown> | undefined,
  comment: string,
): boolean {
  if (!needsReason(request) || comment.trim() !== "") return false;
  const own = request.rejection?.content;
  return own !== undefined && JSON.stringify(own) === JSON.stringify(content);
}

/** Where declining stands: in the menu if the form has choices of its own, because it is a different thing then. */
export function declinePlace(
  { actions }: Pick<Question, "actions">,
  decision: Decision,
): "bar" | "menu" | null {
  if (!actions.includes("decline")) return null;
  return decision.kind === "choices" ? "menu" : "bar";
}

/** Whether people may ask for another request: of Intray's own questions, whose askers read what people say. */
export function mayRevise({ origin, actions }: Pick<Question, "origin" | "actions">): boolean {
  return origin === "intray" && actions.includes("decline");
}

/**
 * Whether this person may approve calls like this for a while. `policy`: nobody may, because the policy says who decides on each. `no`:
 * it is no call of an agent, or one that may destroy something, which only admins approve so.
 */
export function standOffer(
  {
    gate,
    editable,
    approval,
    requestedBy,
    standingNeedsAdmin,
  }: Pick<Question, "gate" | "editable" | "approval" | "requestedBy" | "standingNeedsAdmin">,
  me: Pick<Me, "may">,
): "yes" | "policy" | "no" {
  if (gate === null || !editable || requestedBy.kind !== "agent") return "no";
  if (approval !== null) return "policy";
  return !standingNeedsAdmin || me.may("settings:manage") ? "yes" : "no";
}

/** A button of the bar that decides. */
export interface DecisionButton {
  label: string;
  /** `A` for a yes, `R` for the no to it, else the place of the choice: `1` to `4`. */
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
    case "choices": {
      const keys = choiceKeys(decision);
      return decision.choices.map((choice, index) => ({
        ...single,
        label: choice.label,
        shortcut: keys[index] ?? String(index + 1),
        primary: index === 0 && choice.affirmative,
        choice,
        content: choice.content,
      }));
    }
  }
}

/** The keys of a form's choices: A is the yes, R the first no beside it, and never another yes. Null: the choice has a number. */
export function choiceKeys(decision: Decision): ("A" | "R" | null)[] {
  if (decision.kind !== "choices") return [];
  const no = hasYes(decision) ? decision.choices.findIndex(isNo) : -1;
  return decision.choices.map((_, index) =>
    hasYes(decision) && index === 0 ? "A" : index === no ? "R" : null,
  );
}

function isNo({ label, content }: Choice): boolean {
  const [value] = Object.values(content);
  const said = [splitSent(label).called, typeof value === "string" ? humanise(value) : ""];
  return value === false || (said.some(denies) && !said.some(affirms));
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
 * out of view is shown first, so that a person reads it before deciding. A form that lacks something leads to it.
 */
export function keyPress({
  off,
  inView,
  isMissing = false,
  onlyFocus,
}: {
  off: boolean;
  inView: boolean;
  /** A field of the form has to be filled in first. */
  isMissing?: boolean;
  onlyFocus: boolean;
}): "lead to the tick" | "show the question" | "lead to the field" | "focus" | "press" {
  if (off) return "lead to the tick";
  if (!inView) return "show the question";
  if (isMissing) return "lead to the field";
  return onlyFocus ? "focus" : "press";
}

/** Whether a person gives the same answer again. */
export function isSame(one: Decided, other: Decided): boolean {
  return one.action === other.action && JSON.stringify(one.content) === JSON.stringify(other.content);
}
