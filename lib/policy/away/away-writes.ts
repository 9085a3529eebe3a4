/** All writes to absences. What one means for requests is resolved when somebody looks or votes (lib/requests/voting/voter-sql.ts). */

import { roleSchema } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import { may } from "../../access/permissions.ts";
import { isPerson, type Principal } from "../../access/principal.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { isOf, readAway, type Whose } from "./away-reads.ts";
import type { AwayInput, AwayScope } from "./away-schema.ts";

/**
 * Sets when a member is away and who stands in for them, over what is set. Changes nothing if it is the same, by the same person.
 * Throws `invalid_input` with the field, and `forbidden` for a program, and for an owner's as an admin.
 */
export async function setAway(tx: Tx, principal: Principal, whose: Whose, input: AwayInput): Promise<void> {
  const by = personOnly(principal);
  // One change at a time: two that close a cycle together would each see none.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  const absent = await lockMember(tx, principal, whose);
  const { userId } = absent;
  const { from, until, delegateUserId, scope, reason } = input;
  const now = Date.now();
  if (Date.parse(until) <= now) throw refused("until", "This time has passed");
  if (Date.parse(from) > now + AHEAD_MS) throw refused("from", "At most a year from now");
  if (delegateUserId === userId) throw refused("delegateUserId", "Somebody else has to stand in");
  if (delegateUserId === by && by !== userId)
    throw refused("delegateUserId", "You can’t give yourself somebody else’s votes: another admin can");
  const delegate = await memberNamed(tx, { userId: delegateUserId });
  if (!delegate || !may(roleSchema.parse(delegate.role), "requests:answer"))
    throw refused("delegateUserId", "Nobody who may answer here has this id");
  await refuseUnknown(tx, scope);
  await refuseCycle(tx, userId, input);

  const said = reason === null ? null : storableText(reason);
  const [startsAt, endsAt] = [new Date(from), new Date(until)];
  const told = { from: startsAt.toISOString(), until: endsAt.toISOString(), scope, reason: said };
  const before = await readAway(tx, { userId });
  if (before) {
    const { from, until, scope, reason, setBy } = before;
    const known = { from, until, scope, reason };
    const isSame = canonicalJson(known) === canonicalJson(told) && before.delegateUserId === delegateUserId;
    if (isSame && setBy.id === by) return;
  }
  const row = {
    startsAt,
    endsAt,
    delegate: delegateUserId,
    scope: scope === null ? Prisma.DbNull : storable(scope),
    reason: said,
    setBy: by,
    setAt: new Date(now),
    told: false,
  };
  await tx.away.upsert({
    where: { organizationId_userId: { organizationId: tx.organizationId, userId } },
    create: { organizationId: tx.organizationId, userId, ...row },
    update: row,
  });
  await publishChange(tx, "member", [absent.id]);
  await appendEvents(tx, [
    {
      type: "away.set",
      actor: principal.actor,
      data: { userId, name: absent.name, delegate: { id: delegateUserId, name: delegate.name }, ...told },
    },
  ]);
}

/** How far ahead an absence may begin: a year. */
const AHEAD_MS = 366 * 24 * 3600_000;

/** Ends a member's absence, also one that is still to come. Idempotent. Throws `forbidden` as `setAway`. */
export async function endAway(tx: Tx, principal: Principal, whose: Whose): Promise<void> {
  personOnly(principal);
  const { id, userId, name } = await lockMember(tx, principal, whose);
  const own = Prisma.sql`organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid`;
  const called = await tx.$executeRaw`DELETE FROM away WHERE ${own} AND starts_at >= now()`;
  // The engine deletes it, with the delegate's notices.
  const ended = await tx.$executeRaw`UPDATE away SET ends_at = greatest(now(), starts_at + interval '1 ms')
    WHERE ${own} AND ends_at > now()`;
  if (called + ended === 0) return;
  await publishChange(tx, "member", [id]);
  await appendEvents(tx, [{ type: "away.ended", actor: principal.actor, data: { userId, name } }]);
}

/** Most requests whose notices follow when somebody leaves or comes back; the inbox shows all of them. */
const MOST_FOLLOWED = 1_000;

/**
 * Notes absences that have begun, and deletes those that are over. Returns the open requests whose notices may be others' now, longest
 * waiting first. For the engine.
 */
export async function noteMoves(tx: Tx): Promise<string[]> {
  const moved = await tx.$queryRaw<unknown[]>`
    WITH over AS (DELETE FROM away WHERE organization_id = ${tx.organizationId}::uuid AND ends_at <= now() RETURNING user_id),
    begun AS (UPDATE away SET told = true WHERE organization_id = ${tx.organizationId}::uuid AND NOT told
      AND starts_at <= now() AND ends_at > now() RETURNING user_id)
    SELECT user_id FROM over UNION ALL SELECT user_id FROM begun`;
  if (moved.length === 0) return [];
  const requests = await tx.inputRequest.findMany({
    where: {
      organizationId: tx.organizationId,
      state: "open",
      OR: [{ assigneeUserId: { not: null } }, { approval: { not: Prisma.DbNull } }],
    },
    select: { id: true },
    orderBy: { id: "asc" },
    take: MOST_FOLLOWED,
  });
  const ids = requests.map(({ id }) => id);
  await publishChange(tx, "input_request", ids);
  return ids;
}

function refused(field: string, message: string): AppError {
  return new AppError("invalid_input", message, { errors: [{ field, message }] });
}

function personOnly(principal: Principal): string {
  if (principal.userId === null || !isPerson(principal))
    throw new AppError("forbidden", "Only a person can set an absence, not an API key.");
  return principal.userId;
}

/** Returns the member, whose membership stays as it is until the transaction ends. Throws `not_found`, and `forbidden` for another owner's as an admin. */
async function lockMember(tx: Tx, principal: Principal, whose: Whose) {
  const member = await memberNamed(tx, whose, Prisma.sql`FOR SHARE OF m`);
  if (!member) throw notFound("member");
  if (member.role === "owner" && member.userId !== principal.userId && !allows(principal, "owners:manage"))
    throw new AppError("forbidden", "Only an owner says who stands in for an owner.");
  return member;
}

async function memberNamed(tx: Tx, whose: Whose, lock = Prisma.empty) {
  const [member] = await tx.$queryRaw<{ id: string; userId: string; name: string; role: string }[]>`
    SELECT m.id, m.user_id AS "userId", u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND ${isOf(whose)} ${lock}`;
  return member ?? null;
}

/** Refuses names of servers that are not there, for which nobody would ever stand in. Tools and rules come and go. */
async function refuseUnknown(tx: Tx, scope: AwayScope | null): Promise<void> {
  if (!scope?.servers) return;
  const known = await tx.server.findMany({
    where: { organizationId: tx.organizationId, removedAt: null, name: { in: scope.servers } },
    select: { name: true },
  });
  const errors = scope.servers.flatMap((name, at) =>
    known.some((server) => server.name === name)
      ? []
      : [{ field: `scope.servers.${at}`, message: "There is no server with this name" }],
  );
  if (errors.length > 0) throw new AppError("invalid_input", "This server does not exist.", { errors });
}

/**
 * Refuses an absence that closes a cycle: where those who are away at one time stand in for each other, nobody does. Of absences at
 * different times none is closed.
 */
async function refuseCycle(tx: Tx, userId: string, input: AwayInput): Promise<void> {
  const { from, until, delegateUserId } = input;
  const [closed] = await tx.$queryRaw<unknown[]>`
    WITH RECURSIVE further (delegate, starts_at, ends_at, path) AS (
      SELECT ${delegateUserId}::uuid, ${from}::timestamptz, ${until}::timestamptz, ARRAY[${delegateUserId}::uuid]
      UNION ALL
      SELECT a.delegate, greatest(f.starts_at, a.starts_at), least(f.ends_at, a.ends_at), f.path || a.delegate
      FROM further f JOIN away a ON a.organization_id = ${tx.organizationId}::uuid AND a.user_id = f.delegate
      WHERE f.delegate <> ${userId}::uuid AND a.delegate <> ALL (f.path)
        AND a.starts_at < f.ends_at AND a.ends_at > f.starts_at AND a.ends_at > now())
    SELECT 1 FROM further WHERE delegate = ${userId}::uuid LIMIT 1`;
  if (closed)
    throw refused("delegateUserId", "They are away then, and their own stand-in leads back to this member");
}
