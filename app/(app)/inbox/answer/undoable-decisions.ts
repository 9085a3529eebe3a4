import type { DraftInput } from "@/lib/input-requests/schema.ts";

/** A decision of this browser that can still be taken back. */
interface Held {
  requestId: string;
  /** What was filled in, to be found again after an undo; null: nothing but a press. */
  draft: DraftInput | null;
}

// Outside React: a decision outlives the pane that it was made in. Newest last.
let held: Held[] = [];

export function rememberHeld(requestId: string, draft: DraftInput | null) {
  held = [...held.filter((each) => each.requestId !== requestId), { requestId, draft }];
}

/** What was filled in, once. */
export function forgetHeld(requestId: string): DraftInput | null {
  const found = held.find((each) => each.requestId === requestId);
  held = held.filter((each) => each !== found);
  return found?.draft ?? null;
}

/** The decision that Z takes back: the newest, and after it the one before. */
export function newestHeld(): string | null {
  return held.at(-1)?.requestId ?? null;
}
