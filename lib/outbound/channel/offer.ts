/**
 * Which buttons a message has. Pure. A member decides there only what the platform shows whole, and what a slip can't harm:
 * anything that the screen asks to look at, to tick or to hold leads to Intray.
 */

import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import { decisionOn, isApproval } from "../../requests/answers/form-buttons.ts";
import { rejectionOf } from "../../requests/answers/rejection.ts";
import type { InputRequestDetail } from "../../requests/request-schema.ts";
import { agreedChange } from "../../requests/words/changed-calls.ts";
import { hides, readsFromRight } from "../../text/foreign/hidden.ts";
import { asSent, quoted } from "../../text/foreign/quoted.ts";

/** What a press asks for. `content`: of the choice that was shown. */
interface Press {
  kind: "accept" | "change" | "decline" | "revise";
  content: Record<string, unknown> | null;
}

export interface OfferedButton extends Press {
  label: string;
  style: "primary" | "danger" | null;
  /** A press asks for a reason first. `required`: the policy does not take it without. */
  reason: "required" | "optional" | null;
}

/**
 * Choices that say themselves that they answer. Any other one says so before it: of the server's words some are those of Intray's own
 * buttons, as “Open in Intray”.
 */
const PLAIN_CHOICES = new Set([
  "Approve",
  "Reject",
  "Confirm",
  "Allow",
  "Deny",
  "Accept",
  "Refuse",
  "Yes",
  "No",
]);

type Member = Pick<Principal, "userId" | "role">;

type Asked = Pick<
  InputRequestDetail,
  | "actions"
  | "approval"
  | "arguments"
  | "claimedBy"
  | "details"
  | "documents"
  | "editable"
  | "fields"
  | "fourEyes"
  | "gate"
  | "message"
  | "mode"
  | "origin"
  | "previous"
  | "revisions"
  | "rewordedAt"
  | "state"
  | "task"
  | "tool"
  | "warnings"
>;

/** Returns the buttons; empty: the member decides in Intray. */
export function offeredButtons(
  request: Asked,
  { member, withText }: { member: Member; withText: boolean },
): OfferedButton[] {
  if (!withText || !mayDecide(request, member) || !isPlain(request) || shownArguments(request) === null)
    return [];
  const { actions, approval, editable, fields, gate, origin } = request;
  const stage = approval?.stages.find(({ state }) => state === "open");
  const ofNo = stage?.requireReason.includes("reject") ? "required" : "optional";
  const ofYes = stage?.requireReason.includes("approve") ? "required" : null;
  const decision = decisionOn(request);
  const yes = (): OfferedButton[] => {
    switch (decision.kind) {
      case "confirm": {
        const label = isApproval(request) ? "Approve" : "Confirm";
        return [{ kind: "accept", content: {}, label, style: "primary", reason: ofYes }];
      }
      case "choices": {
        const no = JSON.stringify(rejectionOf(fields)?.content);
        if (decision.choices.some(({ label }) => hides(label))) return [];
        return decision.choices.map(({ label: called, content, affirmative }) => {
          const isNo = JSON.stringify(content) === no;
          const style = affirmative ? "primary" : isNo ? "danger" : null;
          const label = PLAIN_CHOICES.has(called) ? called : `Answer ${asSent(called)}`;
          return { kind: "accept", content, label, style, reason: isNo ? ofNo : ofYes };
        });
      }
      case "form":
      case "none":
        return [];
    }
  };
  const buttons = yes();
  if (buttons.length === 0 || !actions.includes("decline")) return buttons;
  if (decision.kind === "confirm")
    buttons.push({ kind: "decline", content: null, label: "Decline…", style: "danger", reason: ofNo });
  // A call elsewhere has its arguments inside of others, which messages do not show. Its window has no place for a reason.
  if (editable && gate !== null && ofYes === null)
    buttons.push({
      kind: "change",
      content: null,
      label: "Approve with changes…",
      style: null,
      reason: null,
    });
  if (origin === "intray")
    buttons.push({ kind: "revise", content: null, label: "Ask to revise…", style: null, reason: "required" });
  return buttons;
}

/** Whether this member may decide now, without another proof that it is them. */
function mayDecide(
  { state, task, mode, fourEyes, claimedBy, approval, editable }: Asked,
  member: Member,
): boolean {
  // As the route of the screen's answers asks, which comes before the rules of a request.
  if (!may(member.role, "requests:answer")) return false;
  const isOpen = state === "open" && task.cancelRequestedAt === null && mode === "form";
  const isFree = !fourEyes && (claimedBy === null || claimedBy.id === member.userId);
  // What the others approved instead of the arguments stands on the screen.
  const isAsAsked = agreedChange({ approval, editable }) === null;
  // A vote for somebody who is away says so on the screen.
  const votes =
    approval === null ||
    (approval.canVote && approval.votesFor === null && approval.stages.every(({ stepUp }) => !stepUp));
  return isOpen && isFree && isAsAsked && votes;
}

/** Whether a text reads otherwise than it is sent: no platform marks such a place. */
const isOdd = (text: string) => hides(text) || readsFromRight(text);

/** Every platform shows so much of a message; longer ones are read in Intray. */
const MOST_CHARACTERS = 2_500;

/** Whether nothing of the question has to be looked at on its own. */
function isPlain(request: Asked): boolean {
  const { warnings, previous, rewordedAt, details, documents, revisions } = request;
  const isGuarded = warnings.length > 0 || previous !== null || rewordedAt !== null || revisions.length > 0;
  const hasMore = details !== null || documents.items.length > 0 || documents.mayHaveMore;
  const texts = askedTexts(request);
  return !isGuarded && !hasMore && texts.join("").length <= MOST_CHARACTERS && !texts.some(isOdd);
}

/** What is asked, in the server's words: the message, and what stands around the form's choices. */
export function askedTexts(
  request: Pick<Asked, "fields" | "gate" | "message" | "origin" | "tool">,
): string[] {
  const { fields, message } = request;
  const decision = decisionOn(request);
  const about = fields.kind === "supported" ? fields.about : null;
  const ofChoices = decision.kind === "choices" ? [decision.question, decision.description] : [];
  return [message, about, ...ofChoices].filter((text) => text != null && text !== "") as string[];
}

const MOST_ARGUMENTS = 20;
const MOST_VALUE = 300;

/** The arguments of the call, a line each; null: they are too long for a message, or may read as others. */
export function shownArguments({
  arguments: given,
  gate,
  message,
  origin,
}: Pick<Asked, "arguments" | "gate" | "message" | "origin">): string[] | null {
  // The message of a question of Intray's own is an argument too, but in front of a call.
  const isMessage = ([name, value]: [string, unknown]) =>
    origin === "intray" && gate === null && (name === "message" || name === "action") && value === message;
  const entries = Object.entries(given).filter((entry) => !isMessage(entry));
  // The screen folds what is nested, and marks what an agent's program has masked in it.
  if (entries.some(([, value]) => typeof value === "object" && value !== null)) return null;
  if (!entries.every(([name]) => PLAIN_NAME.test(name))) return null;
  if (entries.some((entry) => entry.some((each) => isOdd(String(each)) || BREAKS.test(String(each)))))
    return null;
  // Quoted, so that no text goes on as another argument, and “10” is not 10.
  const lines = entries.map(
    ([name, value]) => `${name}: ${typeof value === "string" ? quoted(value) : value}`,
  );
  const fits = lines.every((line) => line.length <= MOST_VALUE);
  const isShort = lines.length <= MOST_ARGUMENTS && lines.join("").length <= MOST_CHARACTERS;
  return fits && isShort ? lines : null;
}

/** Any other name could read as a name and a value. */
const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{M}\p{N}_$.-]*$/u;
/** A text with them is more than a line. */
const BREAKS = /[\p{Cc}\u2028\u2029]/u;
