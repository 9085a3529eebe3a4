import { z } from "zod";
import { actorSchema } from "../access/schema.ts";
import type { Tx } from "../base/db/db.ts";
import type { GroupIds, Member, People } from "./problems.ts";
import { type PolicyVersions, policyInputSchema, type SavedPolicy } from "./schema.ts";

export const peopleSchema = z.record(z.string(), z.uuid());
/** Which group of the organization each name means that is none of the policy's own. */
export const groupIdsSchema = z.record(z.string(), z.uuid());

/** The policy in force. */
export async function readPolicy(organizationId: string, tx: Tx): Promise<SavedPolicy> {
  return (await readPolicyWithPeople(organizationId, tx)).saved;
}

/** The policy in force, and whom its addresses, and which groups of the organization its names meant when it was saved. */
export async function readPolicyWithPeople(
  organizationId: string,
  tx: Tx,
): Promise<{ saved: SavedPolicy; people: People; groups: GroupIds }> {
  const row = await tx.policyVersion.findFirst({
    where: { organizationId },
    orderBy: { version: "desc" },
  });
  if (!row) {
    const policy = policyInputSchema.parse({});
    return { saved: { version: 0, policy, changedAt: null, changedBy: null }, people: {}, groups: {} };
  }
  const saved = {
    version: row.version,
    policy: policyInputSchema.parse(row.policy),
    changedAt: row.madeAt.toISOString(),
    changedBy: actorSchema.parse(row.madeBy),
  };
  return { saved, people: peopleSchema.parse(row.people), groups: groupIdsSchema.parse(row.groupIds) };
}

/** Most versions that are listed, newest first. */
const LISTED = 50;

export async function listPolicyVersions(organizationId: string, tx: Tx): Promise<PolicyVersions> {
  const rows = await tx.policyVersion.findMany({
    where: { organizationId },
    orderBy: { version: "desc" },
    take: LISTED,
  });
  return {
    items: rows.map(({ version, policy, madeAt, madeBy }) => ({
      version,
      rules: policyInputSchema.parse(policy).rules.map(({ name }) => name),
      changedAt: madeAt.toISOString(),
      changedBy: actorSchema.parse(madeBy),
    })),
  };
}

/** Members as a policy names them. */
export async function membersByAddress(organizationId: string, tx: Tx): Promise<Member[]> {
  return tx.$queryRaw<Member[]>`SELECT m.user_id AS "userId", lower(u.email) AS email, m.role
    FROM membership m JOIN "user" u ON u.id = m.user_id WHERE m.organization_id = ${organizationId}::uuid`;
}
