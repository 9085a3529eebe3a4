/** "What a member can see": an admin's session looks at lists as that member would (docs/decisions/032). */

import type { Principal } from "../../access/principal.ts";
import { roleAllows } from "../../access/roles.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { readMember } from "./member-reads.ts";
import type { ViewAs } from "./member-schema.ts";

/** Long enough to look something up, short enough to be over when forgotten. */
const VIEW_MS = 15 * 60_000;

/**
 * Has an admin's session look as a member. Every request judges anew whether it may (`gate.session`). Throws
 * `not_found`, and `forbidden` for oneself or somebody with a higher role.
 */
export async function beginView(
  tx: Tx,
  principal: Principal,
  sessionId: string,
  memberId: string,
): Promise<ViewAs> {
  const member = await readMember(tx, principal, memberId);
  if (member.userId === principal.userId)
    throw new AppError("forbidden", "You already see what you can see.");
  if (!roleAllows(principal.role, member.role))
    throw new AppError("forbidden", `${member.name} has a higher role than you.`);
  const [row] = await tx.$queryRaw<{ until: Date | null }[]>(
    Prisma.sql`SELECT gate.begin_view(${sessionId}::uuid, ${memberId}::uuid, ${VIEW_MS}::bigint) AS until`,
  );
  if (!row?.until) throw new AppError("unauthenticated", "Your session has ended. Sign in again.");
  const { userId, name } = member;
  const until = row.until.toISOString();
  await appendEvents(tx, [
    { type: "member.view_begun", actor: principal.actor, data: { userId, name, until } },
  ]);
  return { userId, name, until };
}

/** Ends the session's view of a member of this organization. Of one that is over, nothing is noted. */
export async function endView(
  tx: Tx,
  { actor, isView, userId }: Principal,
  sessionId: string,
): Promise<void> {
  const [row] = await tx.$queryRaw<{ ended: boolean }[]>(
    Prisma.sql`SELECT gate.end_view(${sessionId}::uuid, ${tx.organizationId}::uuid) AS ended`,
  );
  if (!row?.ended) return;
  const [viewed] = isView
    ? await tx.$queryRaw<{ userId: string; name: string }[]>`SELECT u.id AS "userId", u.name
        FROM membership m JOIN "user" u ON u.id = m.user_id
        WHERE m.organization_id = ${tx.organizationId}::uuid AND m.user_id = ${userId}::uuid`
    : [];
  await appendEvents(tx, [{ type: "member.view_ended", actor, data: { ...viewed } }]);
}
