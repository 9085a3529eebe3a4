/** Judgement about input requests: pure, client-safe. Who writes is transitions.ts. */
import type { DeliveryState, RequestState } from "./schema.ts";

const NEXT: Record<RequestState, readonly RequestState[]> = {
  open: ["answered", "withdrawn", "expired", "undeliverable"],
  // open: undone
  answered: ["settled", "open", "withdrawn", "expired", "undeliverable"],
  // open: asked again by the server
  undeliverable: ["open"],
  settled: [],
  withdrawn: [],
  expired: [],
};

export function mayGo(from: RequestState, to: RequestState): boolean {
  return NEXT[from].includes(to);
}

/** A request that waits for a person, or whose answer is on its way. */
export function isLive(state: RequestState): state is "open" | "answered" {
  return state === "open" || state === "answered";
}

/** A claim ends after this long without activity. */
export const CLAIM_IDLE_MS = 15 * 60_000;

/**
 * What becomes of a live request when its task ends, given how far its answer got. `takenBefore`: the server had
 * accepted the answer, and then asked again.
 */
export function settlementAtEnd(
  request: "open" | "answered",
  delivery: DeliveryState | null,
  taskState: "completed" | "failed" | "cancelled" | "lost" | "expired",
  takenBefore = false,
): { request: RequestState; delivery: DeliveryState | null } {
  if (request === "open")
    return { request: taskState === "expired" ? "expired" : "withdrawn", delivery: null };
  if (delivery === "accepted" || delivery === "confirmed")
    return { request: "settled", delivery: "confirmed" };
  // A task that went on to its end was waiting for this answer, so it took it; one that vanished proves nothing.
  const wentOn = taskState === "completed" || taskState === "failed";
  if (delivery === "pending" && takenBefore && wentOn) return { request: "settled", delivery: "confirmed" };
  if (delivery === "sending") {
    return wentOn
      ? { request: "settled", delivery: "confirmed" }
      : { request: "undeliverable", delivery: "failed" };
  }
  return { request: "withdrawn", delivery: "failed" };
}
