/** How far an answer can have got. Every statement to people about an answer follows from this. Pure, client-safe. */
import type { DeliveryState, InputRequestSummary } from "../request-schema.ts";

/**
 * taken: the server replied 2xx. unknown: bytes may have reached the server, and no reply came. nothing: the server
 * has not had the answer, or has refused it.
 */
export type Reach = "nothing" | "unknown" | "taken";

/** Judges by all facts of a delivery. */
export function reachOf(delivery: { state: DeliveryState; accepted: boolean; inDoubt: boolean }): Reach {
  if (delivery.accepted) return "taken";
  return delivery.state === "sending" || delivery.inDoubt ? "unknown" : "nothing";
}

/** The same of a delivery as the API returns it. */
export function reachIn(delivery: NonNullable<InputRequestSummary["delivery"]>): Reach {
  return reachOf({ ...delivery, accepted: delivery.acceptedAt !== null });
}
