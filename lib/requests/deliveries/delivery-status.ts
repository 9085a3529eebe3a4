/** A delivery's state machine, and how far its answer can have got. Pure, client-safe. */

import { stateMachine } from "../../base/state-machine.ts";
import type { DeliveryState } from "../request-schema.ts";

export const deliveries = stateMachine<DeliveryState>({
  held: ["pending", "undone", "failed"],
  // accepted: the server took the answer earlier, before it was asked for again; confirmed: nothing has to be
  // sent; undone: all automatic answers were stopped
  pending: ["sending", "accepted", "confirmed", "failed", "undone"],
  // pending: nothing reached the server, or the outcome is unknown; confirmed: found taken after a crash
  sending: ["accepted", "pending", "confirmed", "failed"],
  // pending: asked again, or resent by a person
  accepted: ["confirmed", "pending", "failed"],
  confirmed: [],
  undone: [],
  failed: [],
});

/**
 * How far an answer got. taken: the server replied 2xx. unknown: bytes may have reached the server, and no
 * reply came. nothing: the server has not had the answer, or has refused it.
 */
export type Reach = "nothing" | "unknown" | "taken";

/** Judges by all facts of a delivery; every statement to people about an answer follows from this. */
export function reachOf(delivery: { state: DeliveryState; accepted: boolean; inDoubt: boolean }): Reach {
  if (delivery.accepted) return "taken";
  return delivery.state === "sending" || delivery.inDoubt ? "unknown" : "nothing";
}
