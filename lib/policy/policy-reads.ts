import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import type { Tx } from "../base/db/db.ts";
import { notFound } from "../base/errors.ts";
import { changesOf, type WithPeople } from "./difference.ts";
import {
  type Policy,
  type PolicyVersion,
  type PolicyVersions,
  policyInputSchema,
  type SavedPolicy,
} from "./policy-schema.ts";
import type { Member } from "./problems.ts";
import { withoutDefaults } from "./without-defaults.ts";

export const peopleSchema = z.record(z.string(), z.uuid());
/** Which group of the organization each name means that is none of the policy's own. */
export const groupIdsSchema = z.record(z.string(), z.uuid());

/** The policy in force, without defaults. */
export async function readPolicy(tx: Tx): Promise<SavedPolicy> {
  const { policy, version, changedAt, changedBy } = await readPolicyWithPeople(tx);
  return { version, policy: withoutDefaults(policy), changedAt, changedBy };
}

interface PolicyWithPeople extends WithPeople {
  version: number;
  changedAt: SavedPolicy["changedAt"];
  changedBy: SavedPolicy["changedBy"];
}

/** The policy in force, and whom its addresses, and which groups of the organization its names meant when it was saved. */
export async function readPolicyWithPeople(tx: Tx): Promise<PolicyWithPeople> {
  const row = await tx.policyVersion.findFirst({
    where: { organizationId: tx.organizationId },
    orderBy: { version: "desc" },
  });
  if (!row) return { version: 0, policy: EMPTY, people: {}, groups: {}, changedAt: null, changedBy: null };
  return withPeople(row);
}

const EMPTY: Policy = policyInputSchema.parse({});

type Row = {
  version: number;
  policy: unknown;
  people: unknown;
  groupIds: unknown;
  madeAt: Date;
  madeBy: unknown;
};

function withPeople({ version, policy, people, groupIds, madeAt, madeBy }: Row) {
  return {
    version,
    policy: policyInputSchema.parse(policy),
    people: peopleSchema.parse(people),
    groups: groupIdsSchema.parse(groupIds),
    changedAt: madeAt.toISOString(),
    changedBy: actorSchema.parse(madeBy),
  };
}

/** A version, and what it changed against the one before. Throws `not_found`. */
export async function readPolicyVersion(tx: Tx, version: number): Promise<PolicyVersion> {
  const rows = await tx.policyVersion.findMany({
    where: { organizationId: tx.organizationId, version: { in: [version - 1, version] } },
    orderBy: { version: "desc" },
  });
  const [its, before] = rows.map(withPeople);
  if (its?.version !== version) throw notFound("version");
  return {
    version,
    policy: withoutDefaults(its.policy),
    changes: { ...changesOf(before ?? { policy: EMPTY, people: {}, groups: {} }, its) },
    changedAt: its.changedAt,
    changedBy: its.changedBy,
  };
}

/** Most versions that are listed, newest first. */
const LISTED = 50;

export async function listPolicyVersions(tx: Tx): Promise<PolicyVersions> {
  // The names alone: each version may have 64 KB.
  const rows = await tx.$queryRaw<{ version: number; rules: unknown; madeAt: Date; madeBy: unknown }[]>`
    SELECT version, jsonb_path_query_array(policy, '$.rules[*].name') AS rules, made_at AS "madeAt", made_by AS "madeBy"
    FROM policy_version WHERE organization_id = ${tx.organizationId}::uuid ORDER BY version DESC LIMIT ${LISTED}`;
  return {
    items: rows.map(({ version, rules, madeAt, madeBy }) => ({
      version,
      rules: z.array(z.string()).parse(rules),
      changedAt: madeAt.toISOString(),
      changedBy: actorSchema.parse(madeBy),
    })),
  };
}

/** Members as a policy names them. */
export async function membersByAddress(tx: Tx): Promise<Member[]> {
  return tx.$queryRaw<Member[]>`SELECT m.user_id AS "userId", lower(u.email) AS email, m.role
    FROM membership m JOIN "user" u ON u.id = m.user_id WHERE m.organization_id = ${tx.organizationId}::uuid`;
}

/**
 * Locks the organization for a change of its policy or groups: one at a time, since each is told against what was before. Returns whether
 * changes need a second admin.
 */
export async function lockRule(tx: Tx): Promise<boolean> {
  const [rule] = await tx.$queryRaw<
    { needsTwo: boolean }[]
  >`SELECT two_person_policy AS "needsTwo" FROM organization
    WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  return rule?.needsTwo === true;
}
