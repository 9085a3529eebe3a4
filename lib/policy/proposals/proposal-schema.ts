import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { proposedGroupChangeSchema } from "../groups/group-schema.ts";
import { savedPolicySchema } from "../policy-schema.ts";

/** A change of the policy, or of a group, that waits for a second admin. */
const proposalSchema = z.object({
  id: z.uuid(),
  by: actorSchema,
  at: z.iso.datetime(),
  /** Null with `group` null: to need no second admin any more. */
  policy: savedPolicySchema.shape.policy.nullable(),
  /** The change of one group; null: it is about the policy. */
  group: proposedGroupChangeSchema.nullable(),
  /** What it would change, as the history will say it. */
  changes: z.record(z.string(), z.unknown()),
  /** Automatic rules that go live though their record, as of now, does not speak for them. */
  acknowledged: z.array(
    z.object({ name: z.string(), agreed: z.number().int(), disagreed: z.number().int() }),
  ),
  /** Whether the caller may: in person, and nobody who counts as one person with whoever proposed. */
  mayApprove: z.boolean(),
});
export type PolicyProposal = z.infer<typeof proposalSchema>;

export const policyProposalsSchema = z.object({ items: z.array(proposalSchema) });
export type PolicyProposals = z.infer<typeof policyProposalsSchema>;

export const proposedSchema = z.object({ proposalId: z.uuid() });
export type Proposed = z.infer<typeof proposedSchema>;
