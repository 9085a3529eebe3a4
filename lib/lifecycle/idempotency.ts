import type { Actor } from "../access/access-schema.ts";
import { Prisma, type Tx } from "../base/db/db.ts";

/**
 * Returns what the caller, a member or an API key, made with this `Idempotency-Key` before, or null. Keys of other callers
 * are not looked at: a guessed key neither shows that somebody's private task is there nor stands in its way. The lock makes
 * calls with the same key wait for each other; the unique index would fail them.
 */
export async function findEarlier(
  tx: Tx,
  made: "task" | "race",
  { kind, id }: Actor,
  idempotencyKey: string,
): Promise<{ id: string; requestDigest: Uint8Array | null } | null> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify([made, tx.organizationId, kind, id, idempotencyKey])}, 0))`;
  const [earlier] = await tx.$queryRaw<{ id: string; requestDigest: Uint8Array | null }[]>`
    SELECT id, request_digest AS "requestDigest" FROM ${Prisma.raw(made)}
    WHERE organization_id = ${tx.organizationId}::uuid AND idempotency_key = ${idempotencyKey}
      AND requested_by ->> 'kind' = ${kind} AND coalesce(requested_by ->> 'id', '') = ${id ?? ""}`;
  return earlier ?? null;
}
