import type { Me } from "@/components/shell/session/me.tsx";
import type { Trouble } from "@/lib/api-client/connection.ts";
import { TROUBLE_WORDS } from "@/lib/format/trouble.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** Returns why nobody can decide from this page now, as a sentence, or null. */
export function troubleBlocker(trouble: Trouble | null): string | null {
  return trouble === null || trouble === "not_live" ? null : TROUBLE_WORDS[trouble];
}

/** Returns why this person may not answer now, as a sentence, or null if they may. */
export function answerBlocker(
  request: Pick<InputRequestDetail, "claimedBy" | "task">,
  me: Pick<Me, "user" | "may" | "view">,
  questionChanged: boolean,
): string | null {
  if (me.view) return `You are viewing as ${me.user.name}: read only.`;
  if (!me.may("requests:answer")) return "Viewers can’t answer. Ask an approver.";
  if (request.task.cancelRequestedAt) return "The task is being cancelled and takes no answers.";
  if (request.claimedBy && request.claimedBy.id !== me.user.id) {
    return `${request.claimedBy.name} has claimed this. A claim ends when released, or after 15 minutes without activity.`;
  }
  if (questionChanged) return "The question has changed. Review the new one first.";
  return null;
}

/**
 * Returns why this person may not accept, though they may decline, or null: four eyes are required, or only
 * the owner of the connection may open the site.
 */
export function acceptBlocker(
  request: Pick<InputRequestDetail, "mode" | "urlOwner" | "fourEyes">,
  me: Pick<Me, "user">,
): string | null {
  if (request.fourEyes) return "You asked for this: somebody else has to accept it. You can decline.";
  if (request.mode !== "url" || !request.urlOwner || request.urlOwner.id === me.user.id) return null;
  return `Only ${request.urlOwner.name} may open this site: it is their connection. You can decline.`;
}
