import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { type Away, awaySchema } from "./away-schema.ts";

/** A member, by the account or by the membership. */
export type Whose = { userId: string } | { memberId: string };

/** SQL condition: the membership `m` is this one. */
export const isOf = (whose: Whose): Prisma.Sql =>
  "userId" in whose
    ? Prisma.sql`m.user_id = ${whose.userId}::uuid`
    : Prisma.sql`m.id = ${whose.memberId}::uuid`;

/** The member's absence, also one that is still to come; null: none. Throws `not_found`. */
export async function readAway(tx: Tx, whose: Whose): Promise<Away | null> {
  const [row] = await tx.$queryRaw<AwayRow[]>`
    SELECT a.starts_at AS "from", a.ends_at AS until, a.scope, a.reason, a.set_at AS "setAt",
      jsonb_build_object('id', a.delegate, 'name', coalesce(d.name, 'a former member')) AS delegate,
      jsonb_build_object('id', a.set_by, 'name', coalesce(b.name, 'a former member')) AS "setBy"
    FROM membership m LEFT JOIN away a ON a.organization_id = m.organization_id AND a.user_id = m.user_id AND a.ends_at > now()
      LEFT JOIN "user" d ON d.id = a.delegate LEFT JOIN "user" b ON b.id = a.set_by
    WHERE m.organization_id = ${tx.organizationId}::uuid AND ${isOf(whose)}`;
  if (!row) throw notFound("member");
  if (row.from === null) return null;
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

type AwayRow = { delegate: unknown; setBy: unknown } & (
  | { from: null }
  | { from: Date; until: Date; scope: unknown; reason: string | null; setAt: Date }
);

const partsSchema = awaySchema.pick({ delegate: true, setBy: true, scope: true });

/** The caller as a member. Throws `forbidden` for an API key. */
export function oneself({ userId }: { userId: string | null }): Whose {
  if (userId === null) throw new AppError("forbidden", "A member is away, not an API key.");
  return { userId };
}
