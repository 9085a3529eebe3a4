import type { Me } from "@/components/shell/session/me.tsx";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { askedWords, openStageOf, whyWords } from "@/lib/requests/words/vote-words.ts";
import type { Trouble } from "@/lib/web/client/connection.ts";
import { TROUBLE_WORDS } from "@/lib/web/words/trouble.ts";

/** Returns why nobody can decide from this page now, as a sentence, or null. */
export function troubleBlocker(trouble: Trouble | null): string | null {
  return trouble === null || trouble === "not_live" ? null : TROUBLE_WORDS[trouble];
}

/** Returns why this person may not answer now, as a sentence, or null if they may. */
export function answerBlocker(
  request: Pick<InputRequestSummary, "approval" | "requestedBy" | "claimedBy" | "task">,
  me: Pick<Me, "user" | "may" | "view">,
  questionChanged: boolean,
): string | null {
  if (me.view) return `You are viewing as ${me.user.name}: read only.`;
  if (!me.may("requests:answer")) return "Viewers can’t answer. Ask an approver.";
  const blocker = requestBlocker(request, me);
  if (blocker) return blocker.sentence;
  if (questionChanged) return "The question has changed. Review the new one first.";
  return null;
}

/** Why a request is not this person's to decide: `short` in a list's row, `sentence` beside the buttons. */
export interface Blocker {
  short: string;
  sentence: string;
}

/** Returns what keeps the person from answering this request as long as it lasts, or null. */
export function requestBlocker(
  {
    approval,
    requestedBy,
    claimedBy,
    task,
  }: Pick<InputRequestSummary, "approval" | "requestedBy" | "claimedBy" | "task">,
  me: Pick<Me, "user">,
): Blocker | null {
  if (task.cancelRequestedAt)
    return {
      short: "Being cancelled",
      sentence: "The task is being cancelled and takes no answers.",
    };
  if (approval && !approval.canVote) return voteBlocker({ approval, requestedBy }, me.user.id);
  if (!claimedBy || claimedBy.id === me.user.id) return null;
  return {
    short: `Claimed by ${claimedBy.name}`,
    sentence: `${claimedBy.name} has claimed this request. The claim ends when they release it, or after 15 minutes without activity.`,
  };
}

/** Why the person has no vote on a request on which several people have to agree. */
function voteBlocker(voting: Parameters<typeof whyWords>[0], readerId: string): Blocker | null {
  const { approval } = voting;
  const sentence = whyWords(voting, readerId);
  const short =
    approval.why === "four_eyes" ? "For others to decide" : `Waiting for ${openStageOf(approval)}`;
  return sentence === null ? null : { short, sentence };
}

/**
 * Returns why this person may not accept, though they may decline, or null: four eyes are required, or only
 * the owner of the connection may open the site.
 */
export function acceptBlocker(
  {
    fourEyes,
    requestedBy,
    mode,
    urlOwner,
    actions,
  }: Pick<InputRequestSummary, "mode" | "requestedBy" | "urlOwner" | "fourEyes" | "actions">,
  me: Pick<Me, "user">,
): Blocker | null {
  if (fourEyes) {
    const sentence = `${askedWords(requestedBy, me.user.id)} Somebody else has to accept it.`;
    return {
      short: "Needs a second person",
      sentence: actions.includes("decline") ? `${sentence} You can decline.` : sentence,
    };
  }
  if (mode !== "url" || !urlOwner || urlOwner.id === me.user.id) return null;
  return {
    short: `Only ${urlOwner.name} can accept`,
    sentence: `Only ${urlOwner.name} may open this site: it is their connection. You can decline.`,
  };
}

/**
 * Whether this person may take the held answer back: their own, or a rule's, or as an operator another's. Who asked for
 * the task takes back no other person's where a second person has to accept.
 */
export function mayUndo(
  {
    answer,
    delivery,
    fourEyes,
    approval,
  }: Pick<InputRequestSummary, "answer" | "delivery" | "fourEyes" | "approval">,
  me: Pick<Me, "user" | "may">,
): boolean {
  if (!answer || delivery?.state !== "held" || !me.may("requests:answer")) return false;
  const { kind, id } = answer.by;
  if (kind === "member" && id === me.user.id) return true;
  const isMaker = fourEyes || (approval?.hasAsked === true && approval.requester === "excluded");
  return !isMaker && (kind === "rule" || me.may("requests:assign"));
}
