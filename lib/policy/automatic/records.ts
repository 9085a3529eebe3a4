/** What is known of automatic rules by how people decided beside them. Reads only. */
import type { Tx } from "../../base/db/db.ts";
import type { ShadowRecord } from "./going-live.ts";

/** By fingerprint. Live rules' decisions that went to people count as those in shadow. */
export async function readRecords(
  tx: Tx,
  fingerprints: string[],
): Promise<(fingerprint: string) => ShadowRecord> {
  const rows = await tx.$queryRaw<(ShadowRecord & { fingerprint: string })[]>`
    SELECT d.fingerprint, count(*) FILTER (WHERE d.agreed)::integer AS agreed,
      count(*) FILTER (WHERE NOT d.agreed)::integer AS disagreed
    FROM automatic_decision d WHERE d.organization_id = ${tx.organizationId}::uuid
      AND d.fingerprint = ANY (${fingerprints}) AND d.agreed IS NOT NULL
    GROUP BY d.fingerprint`;
  const known = new Map(rows.map((row) => [row.fingerprint, row]));
  return (fingerprint) => known.get(fingerprint) ?? { agreed: 0, disagreed: 0 };
}
