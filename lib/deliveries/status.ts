/** Judgement about deliveries: pure. Who writes is transitions.ts. */
import type { DeliveryState } from "../input-requests/schema.ts";

const NEXT: Record<DeliveryState, readonly DeliveryState[]> = {
  held: ["pending", "undone", "failed"],
  // confirmed: taken before it was asked for again
  pending: ["sending", "confirmed", "failed"],
  // pending: nothing reached the server; confirmed: found taken after a crash
  sending: ["accepted", "pending", "confirmed", "failed"],
  // pending: asked again, or resent by a person
  accepted: ["confirmed", "pending", "failed"],
  confirmed: [],
  undone: [],
  failed: [],
};

export function mayGo(from: DeliveryState, to: DeliveryState): boolean {
  return NEXT[from].includes(to);
}

/** After this many polls that still show an accepted answer's question, a person is told. */
export const FLAG_AFTER_POLLS = 3;
/** How often an answer is sent again by itself to a server that lost it while it was unreachable. */
export const MAX_AUTOMATIC_RESENDS = 3;
/** How many times an answer follows a question that 2025-11-25 servers put again under a new JSON-RPC id. */
export const MAX_ATTEMPTS_WHEN_ASKED_AGAIN = 5;

/** What a poll that still shows the very same question, after the answer to it was accepted, calls for. */
export function judgeStillAsked(delivery: {
  pollsSinceAccepted: number;
  unreachableSinceAccepted: boolean;
  automaticResends: number;
}): "wait" | "resend" | "flag" {
  if (delivery.pollsSinceAccepted + 1 < FLAG_AFTER_POLLS) return "wait";
  const mayResend = delivery.unreachableSinceAccepted && delivery.automaticResends < MAX_AUTOMATIC_RESENDS;
  return mayResend ? "resend" : "flag";
}
