import { readPolicy } from "../../../lib/policy/policy-reads.ts";
import { type Policy, policyInputSchema } from "../../../lib/policy/policy-schema.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

/** The policy in force, with its version. */
export async function readSavedPolicy(slug: string): Promise<{ version: number; policy: Policy }> {
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { version, policy } = await db.withOrganization(organizationId, (tx) => readPolicy(tx));
    return { version, policy: policyInputSchema.parse(policy) };
  });
}
