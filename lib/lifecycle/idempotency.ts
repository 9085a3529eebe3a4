/** The caller's `Idempotency-Key`. */
import type { Actor } from "../access/access-schema.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";

/**
 * Returns the id of what the caller, a member or an API key, made with this `Idempotency-Key` before, or null. `digest` is of the
 * request's body. Keys of other callers are not looked at: a guessed key neither shows that somebody's private task is there nor
 * stands in its way. The lock makes calls with the same key wait for each other; the unique index would fail them. Throws
 * `idempotency_mismatch` if the body differs.
 */
export async function findEarlier(
  tx: Tx,
  made: "task" | "race",
  { kind, id }: Actor,
  idempotencyKey: string | null,
  digest: Buffer,
): Promise<string | null> {
  if (idempotencyKey === null) return null;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify([made, tx.organizationId, kind, id, idempotencyKey])}, 0))`;
  const [earlier] = await tx.$queryRaw<{ id: string; requestDigest: Uint8Array | null }[]>`
    SELECT id, request_digest AS "requestDigest" FROM ${Prisma.raw(made)}
    WHERE organization_id = ${tx.organizationId}::uuid AND idempotency_key = ${idempotencyKey}
      AND requested_by ->> 'kind' = ${kind} AND coalesce(requested_by ->> 'id', '') = ${id ?? ""}`;
  if (!earlier) return null;
  const known = Buffer.from(earlier.requestDigest ?? []).toString("hex");
  if (!contentOf(tx).hashes(digest.toString("hex")).includes(known)) throw idempotencyMismatch();
  return earlier.id;
}

export function idempotencyMismatch(): AppError {
  return new AppError("idempotency_mismatch", "This Idempotency-Key was used before, with another request.");
}

/** A digest of content as it is stored: keyed where the organization seals. */
export function storedDigest(tx: Tx, digest: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(contentOf(tx).hash(digest.toString("hex")), "hex"));
}
