/** What a delivery may become, and what its answer's server can have got: pure, client-safe. Who writes is transitions.ts. */

import { stateMachine } from "../../base/state-machine.ts";
import type { DeliveryState } from "../schema.ts";

export const deliveries = stateMachine<DeliveryState>({
  held: ["pending", "undone", "failed"],
  // accepted, confirmed: taken before it was asked for again; confirmed: nothing has to be sent
  pending: ["sending", "accepted", "confirmed", "failed"],
  // pending: nothing reached the server, or nobody knows; confirmed: found taken after a crash
  sending: ["accepted", "pending", "confirmed", "failed"],
  // pending: asked again, or resent by a person
  accepted: ["confirmed", "pending", "failed"],
  confirmed: [],
  undone: [],
  failed: [],
});

/**
 * How far an answer got. taken: the server said 2xx. unknown: bytes may have reached it, and no reply came. nothing: it
 * has not had it, or has refused it.
 */
export type Reach = "nothing" | "unknown" | "taken";

/** By everything that is known of a delivery: what people are told of an answer follows from this alone. */
export function reachOf(delivery: { state: DeliveryState; accepted: boolean; inDoubt: boolean }): Reach {
  if (delivery.accepted) return "taken";
  return delivery.state === "sending" || delivery.inDoubt ? "unknown" : "nothing";
}
