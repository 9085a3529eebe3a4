import { actorSchema } from "../../access/access-schema.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import type { Tx } from "../../base/db/db.ts";
import type { ContentSealing } from "./sealing-schema.ts";

export async function readContentSealing(tx: Tx): Promise<ContentSealing> {
  const row = await tx.contentSealing.findUnique({ where: { organizationId: tx.organizationId } });
  if (!row) return { sealed: false, changed: null, progress: null, unopened: 0, opens: true };
  const of = Math.max(Number(row.rows), Number(row.looked));
  return {
    sealed: row.kid !== null,
    changed: { by: actorSchema.parse(row.changedBy), at: row.changedAt.toISOString() },
    progress: row.finishedAt === null ? { done: Number(row.looked), of } : null,
    unopened: Number(row.unopened),
    opens: contentOf(tx).opens,
  };
}
