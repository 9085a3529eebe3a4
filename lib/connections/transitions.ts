import { storableText, type Tx } from "../db.ts";

/** The last lines that a command server wrote to its stderr. Its own words: for operators, never for tenants' logs. */
export async function recordLogTail(
  organizationId: string,
  tx: Tx,
  connectionId: string,
  tail: string,
): Promise<void> {
  await tx.$executeRaw`UPDATE connection SET log_tail = ${storableText(tail)}, log_tail_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${connectionId}::uuid`;
}
