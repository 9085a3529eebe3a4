import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "./authenticate.ts";

/**
 * Keeps the caller's session or key from ending before the transaction does. A call that makes another way in (a key,
 * an invitation) needs it: else one that began before the caller's account was replaced could leave something behind.
 * Throws `unauthenticated` if it has ended.
 */
export async function holdCredential(tx: Tx, { sessionId, principal }: Caller): Promise<void> {
  const [row] = await tx.$queryRaw<{ held: boolean }[]>(
    sessionId !== null
      ? Prisma.sql`SELECT gate.hold_session(${sessionId}::uuid) AS held`
      : Prisma.sql`SELECT true AS held FROM api_key WHERE organization_id = ${tx.organizationId}::uuid
          AND id = ${principal.actor.id}::uuid AND revoked_at IS NULL FOR SHARE`,
  );
  if (!row?.held) throw new AppError("unauthenticated", "Sign in, or send an API key as a Bearer token.");
}
