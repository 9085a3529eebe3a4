import type { Tx } from "../base/db/db.ts";

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
