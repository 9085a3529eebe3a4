/** The states of an answer's delivery, and the facts that every judgement reads. */
import { z } from "zod";
import { Prisma } from "../../base/db/db.ts";
import { stateMachine } from "../../base/state-machine.ts";
import { type DeliveryState, deliveryStateSchema } from "../request-schema.ts";

export const deliveryFacts = z.object({
  id: z.string(),
  state: deliveryStateSchema,
  attempts: z.number(),
  /** The server has answered some attempt with 2xx, whatever came later. */
  accepted: z.boolean(),
  /** An earlier attempt may have reached the server, and its reply never came. */
  inDoubt: z.boolean(),
  /** The server keeps asking for an answer that it accepted; a person has to look. */
  flagged: z.boolean(),
  /** Ms since the last attempt was committed; 0 before the first. */
  sentAgoMs: z.number(),
  pollsSinceAccepted: z.number(),
  unreachableSinceAccepted: z.boolean(),
  automaticResends: z.number(),
  /** The server's status message before the last attempt. */
  statusBefore: z.string().nullable(),
  /** The person was told that the text changes, and sent the answer for any wording. */
  anyWording: z.boolean(),
});
export type DeliveryFacts = z.infer<typeof deliveryFacts>;

/** `DeliveryFacts` as arguments of `json_build_object`; `d` is the delivery, `a` its answer. */
export const DELIVERY_FACTS = Prisma.sql`'id', d.id, 'state', d.state, 'attempts', d.attempts,
  'accepted', d.accepted_at IS NOT NULL, 'inDoubt', d.in_doubt, 'flagged', d.flagged,
  'sentAgoMs', coalesce((extract(epoch FROM now() - d.sent_at) * 1000)::float8, 0),
  'pollsSinceAccepted', d.polls_since_accepted, 'unreachableSinceAccepted', d.unreachable_since_accepted,
  'automaticResends', d.automatic_resends, 'statusBefore', d.status_before, 'anyWording', a.any_wording`;

/** The moves of a delivery between its states. */
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
