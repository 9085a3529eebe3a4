import type { DraftInput } from "@/lib/requests/request-input-schema.ts";
import type { Draft, InputRequestDetail } from "@/lib/requests/request-schema.ts";
import type { Refused } from "./decided.ts";

/** `restored`: the form shows text typed earlier, at `at`. */
export type DraftStatus = { kind: "none" | "saving" | "saved" | "failed" } | { kind: "restored"; at: string };

export function restoredFrom(draft: Draft | null): DraftStatus {
  return draft ? { kind: "restored", at: draft.savedAt } : { kind: "none" };
}

/** The status once a key was pressed. A save that failed goes on being told until one succeeds. */
export function typedAfter(before: DraftStatus): DraftStatus {
  return before.kind === "failed" ? before : { kind: "saving" };
}

/** Statuses that no later try changes: not found, over, or refused for what the draft says. */
const FINAL = [400, 403, 404, 409, 410, 422];

/** Whether a failed save is tried again. `status`: null if no answer came. People signed out, or too quick, try again. */
export function triesAgain(status: number | null): boolean {
  return status === null || !FINAL.includes(status);
}

/** Returns the draft as the server keeps it, or null if there was nothing to save. */
export function keptDraft({ content, comment }: DraftInput, savedAt: string | null): Draft | null {
  return savedAt === null ? null : { content, comment: comment || null, savedAt };
}

/** Returns what was typed as a draft of now, or null if nothing was. */
export function typedDraft({ content, comment }: Pick<DraftInput, "content" | "comment">): Draft | null {
  const isEmpty = Object.keys(content).length === 0 && !comment?.trim();
  return isEmpty ? null : { content, comment: comment || null, savedAt: new Date().toISOString() };
}

/** Returns the request as it comes back after a refusal: with what was typed, unless the server has a newer draft. */
export function withRefused<T extends Pick<InputRequestDetail, "draft" | "questionHash">>(
  request: T,
  refused: Refused | undefined,
): T {
  if (!refused?.draft || refused.questionHash !== request.questionHash) return request;
  const isOlder = request.draft === null || request.draft.savedAt < refused.draft.savedAt;
  return isOlder ? { ...request, draft: refused.draft } : request;
}

/**
 * Whether a draft from another tab of the same person fills in what was not typed here. Not while something typed
 * here is unsaved, which is newer.
 */
export function takesOver(
  newest: Draft | null,
  here: { savedAt: string; unsaved: boolean },
): newest is Draft {
  return newest !== null && newest.savedAt > here.savedAt && !here.unsaved;
}

/** Whether the comment was written here, not restored from another day: it explains what was seen. */
export function isExplained(comment: string, restored: string): boolean {
  return comment.trim() !== "" && comment !== restored;
}
