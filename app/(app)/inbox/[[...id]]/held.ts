import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** A decision of this browser that can still be taken back. */
export interface Held {
  requestId: string;
  /** What was filled in, to be found again after an undo; null: nothing but a press. */
  filled: Record<string, unknown> | null;
  comment: string;
}

// Outside React: a decision outlives the pane that it was made in. Newest last.
let held: Held[] = [];

export function rememberHeld(decision: Held) {
  held = [...held.filter((each) => each.requestId !== decision.requestId), decision];
}

export function forgetHeld(requestId: string): Held | null {
  const found = held.find((each) => each.requestId === requestId) ?? null;
  held = held.filter((each) => each !== found);
  return found;
}

/** The decision that Z takes back: the newest, and after it the one before. */
export function newestHeld(): string | null {
  return held.at(-1)?.requestId ?? null;
}

/** What another answer is held for here: one that a colleague gave, or that was given before a reload. */
export function heldHere(request: InputRequestDetail): string | null {
  return request.delivery?.state === "held" ? request.id : null;
}
