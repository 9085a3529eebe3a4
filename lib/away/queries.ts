import type { Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { type Away, awaySchema } from "./schema.ts";

/** The member's absence, also one that is still to come; null: none. */
export async function readAway(organizationId: string, tx: Tx, userId: string): Promise<Away | null> {
  const [row] = await tx.$queryRaw<AwayRow[]>`
    SELECT a.starts_at AS "from", a.ends_at AS until, a.scope, a.reason, a.set_at AS "setAt",
      jsonb_build_object('id', d.id, 'name', d.name) AS delegate, jsonb_build_object('id', b.id, 'name', b.name) AS "setBy"
    FROM away a JOIN "user" d ON d.id = a.delegate JOIN "user" b ON b.id = a.set_by
    WHERE a.organization_id = ${organizationId}::uuid AND a.user_id = ${userId}::uuid AND a.ends_at > now()`;
  if (!row) return null;
  const { delegate, setBy, scope } = partsSchema.parse(row);
  return {
    from: row.from.toISOString(),
    until: row.until.toISOString(),
    delegateUserId: delegate.id,
    delegate,
    scope,
    reason: row.reason,
    setBy,
    setAt: row.setAt.toISOString(),
  };
}

interface AwayRow {
  from: Date;
  until: Date;
  scope: unknown;
  reason: string | null;
  setAt: Date;
  delegate: unknown;
  setBy: unknown;
}

const partsSchema = awaySchema.pick({ delegate: true, setBy: true, scope: true });

/** The user of a membership. Throws `not_found`. */
export async function userOf(organizationId: string, tx: Tx, memberId: string): Promise<string> {
  const member = await tx.membership.findFirst({
    where: { organizationId, id: memberId },
    select: { userId: true },
  });
  if (!member) throw notFound("member");
  return member.userId;
}

/** The caller, who has to be a member in person. */
export function memberOf({ userId }: { userId: string | null }): string {
  if (userId === null) throw new AppError("forbidden", "A member is away, not an API key.");
  return userId;
}
