import type { Principal } from "../access/principal.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";

/**
 * Keeps the caller's membership or key from ending before the transaction does: what they decide is either recorded
 * before that end, or refused. Throws `unauthenticated` if it has ended. To be called before other rows are locked.
 */
export async function holdPrincipal(organizationId: string, tx: Tx, principal: Principal): Promise<void> {
  const { actor, userId } = principal;
  const mayEnd = actor.kind === "key" || userId !== null;
  if (!mayEnd) return;
  const held = await tx.$queryRaw<unknown[]>(
    actor.kind === "key"
      ? Prisma.sql`SELECT 1 FROM api_key WHERE organization_id = ${organizationId}::uuid AND id = ${actor.id}::uuid
          AND revoked_at IS NULL FOR SHARE`
      : Prisma.sql`SELECT 1 FROM membership WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid
          FOR KEY SHARE`,
  );
  if (held.length === 0)
    throw new AppError("unauthenticated", "Sign in, or send an API key as a Bearer token.");
}
