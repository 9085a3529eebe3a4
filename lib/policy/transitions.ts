/** The only write to policies: the whole becomes a new version, which stays as it is. */
import type { Principal } from "../access/principal.ts";
import { storable, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { appendEvents } from "../events/transitions.ts";
import { canonicalJson } from "../mcp/forms/jcs.ts";
import { differenceOf } from "./difference.ts";
import { addressesOf, type People, problemsOf } from "./problems.ts";
import { membersByAddress, readPolicyWithPeople } from "./queries.ts";
import { type Policy, policyInputSchema } from "./schema.ts";

/**
 * Replaces the policy, if `version` is still the one in force. Changes nothing if it is the same, with the same people. Requests
 * that were asked before keep the version of then. Throws `version_changed`, and `invalid_input` with the place of each problem.
 */
export async function savePolicy(
  organizationId: string,
  tx: Tx,
  { actor }: Principal,
  version: number,
  policy: Policy,
): Promise<void> {
  // One change at a time, since the difference is told against the version before.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  const { saved, people: known } = await readPolicyWithPeople(organizationId, tx);
  if (saved.version !== version)
    throw new AppError("version_changed", "Somebody has changed the policy meanwhile. Look at it again.", {
      extra: { version: saved.version },
    });
  const members = await membersByAddress(organizationId, tx);
  const errors = problemsOf(policy, members, known);
  if (errors.length > 0) throw new AppError("invalid_input", "The policy is not valid.", { errors });
  const now = new Map(members.map(({ email, userId }) => [email, userId]));
  const people: People = Object.fromEntries(
    allAddresses(policy).flatMap((address) => {
      const id = now.get(address) ?? known[address];
      return id === undefined ? [] : [[address, id]];
    }),
  );
  const before = policyInputSchema.parse(saved.policy);
  // jsonb keeps members in an order of its own.
  const isSame = canonicalJson({ before, known }) === canonicalJson({ before: policy, known: people });
  if (isSame) return;
  await tx.policyVersion.create({
    data: {
      organizationId,
      version: version + 1,
      policy: storable(policy),
      people: storable(people),
      madeBy: storable(actor),
    },
  });
  await appendEvents(organizationId, tx, [
    { type: "policy.changed", actor, data: { version: version + 1, ...differenceOf(before, policy) } },
  ]);
}

function allAddresses(policy: Policy): string[] {
  const named = policy.rules.flatMap(({ stages }) =>
    stages.flatMap(({ approvers, escalate }) =>
      [approvers, ...(escalate ? [escalate.to] : [])].flatMap((each) => addressesOf(policy, each)),
    ),
  );
  return [...new Set([...named, ...Object.values(policy.groups).flat()])].sort();
}
