/** A delivery's state machine. Pure, client-safe. */

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
