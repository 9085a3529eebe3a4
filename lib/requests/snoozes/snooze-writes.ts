/**
 * All writes to snoozes: requests that a member has put off until a time, for themselves. Others see nothing of it, so the history has
 * no lines of it. One ends by itself when the question changes, another stage opens, or the request is assigned to the member or to whom
 * they stand in for (trigger), and when it is escalated to them.
 */
import type { Principal } from "../../access/principal.ts";
import { isPerson } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { IN_GROUPS } from "../../policy/groups/group-reads.ts";
import { endAssignment } from "../claims/claim-writes.ts";
import { lockRequest, refuseUnlessOpen } from "../lock-request.ts";
import type { SnoozeInput } from "../request-input-schema.ts";

/** How far ahead: a year. */
const AHEAD_MS = 366 * 24 * 3600_000;

/**
 * Hides an open request from the member until a given time; replaces an earlier snooze. Ends an assignment to the member, which the
 * history says. Throws `forbidden` for a program, `invalid_input` for the time.
 */
export async function snooze(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  { until }: SnoozeInput,
): Promise<void> {
  const userId = personOnly(principal);
  const ends = Date.parse(until);
  if (ends <= Date.now()) throw refused("This time has passed");
  if (ends > Date.now() + AHEAD_MS) throw refused("At most a year from now");
  const request = await lockRequest(tx, principal, inputRequestId);
  await refuseUnlessOpen(tx, request);
  await tx.$executeRaw`INSERT INTO request_snooze (organization_id, input_request_id, user_id, ends_at)
    VALUES (${tx.organizationId}::uuid, ${inputRequestId}::uuid, ${userId}::uuid, ${new Date(ends).toISOString()}::timestamptz)
    ON CONFLICT (organization_id, user_id, input_request_id) DO UPDATE SET ends_at = excluded.ends_at, woken_at = NULL`;
  // One's reminders so far are done with; an engine tells again when it is over.
  await tx.$executeRaw`UPDATE notice SET read_at = now(), mail_after = NULL WHERE organization_id = ${tx.organizationId}::uuid
    AND user_id = ${userId}::uuid AND subject = ${inputRequestId}::uuid AND read_at IS NULL
    AND cause IN ('request.waiting', 'request.assigned', 'request.reminded', 'request.woke')`;
  // It would wait for nobody until then.
  const givenBack = await endAssignment(tx, principal.actor, inputRequestId, userId);
  await publishChange(tx, "notice", [userId]);
  await publishChange(tx, "input_request", [inputRequestId]);
  if (givenBack.length > 0) await publishChange(tx, "task", [request.taskId]);
  await appendEvents(tx, givenBack);
}

/** Ends one's own snooze, without a notice. Idempotent. */
export async function endSnooze(tx: Tx, principal: Principal, inputRequestId: string): Promise<void> {
  const userId = personOnly(principal);
  await lockRequest(tx, principal, inputRequestId);
  const { count } = await tx.requestSnooze.deleteMany({
    where: { organizationId: tx.organizationId, inputRequestId, userId },
  });
  if (count > 0) await publishChange(tx, "input_request", [inputRequestId]);
}

/** Ends the snoozes of those to whom the request is escalated. */
export async function endSnoozesOf(
  tx: Tx,
  inputRequestId: string,
  { roles, people, groups }: { roles: string[]; people: string[]; groups: { id: string }[] },
): Promise<void> {
  const ids = groups.map(({ id }) => id);
  await tx.$executeRaw`DELETE FROM request_snooze z USING membership m
    WHERE z.organization_id = ${tx.organizationId}::uuid AND z.input_request_id = ${inputRequestId}::uuid
      AND m.organization_id = z.organization_id AND m.user_id = z.user_id
      AND (m.user_id = ANY (${people}::uuid[]) OR m.role = ANY (${roles}::text[])
        OR EXISTS (SELECT FROM ${IN_GROUPS} i WHERE i.organization_id = m.organization_id AND i.member_id = m.id
          AND i.group_id = ANY (${ids}::uuid[])))`;
}

/** Snoozes that one transaction ends. */
const AT_ONCE = 200;

export interface Woken {
  inputRequestId: string;
  userId: string;
}

/** Notes that snoozes are over, and returns those of open requests; of several engines one does. For the engine. */
export async function wake(tx: Tx): Promise<{ woken: Woken[]; isMore: boolean }> {
  const rows = await tx.$queryRaw<(Woken & { isOpen: boolean })[]>`
    UPDATE request_snooze z SET woken_at = now() FROM input_request r
    WHERE z.organization_id = ${tx.organizationId}::uuid AND z.woken_at IS NULL AND z.ends_at <= now()
      AND r.organization_id = z.organization_id AND r.id = z.input_request_id
      AND (z.user_id, z.input_request_id) IN (SELECT over.user_id, over.input_request_id FROM request_snooze over
        WHERE over.organization_id = ${tx.organizationId}::uuid AND over.woken_at IS NULL AND over.ends_at <= now()
        ORDER BY over.ends_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
    RETURNING z.input_request_id AS "inputRequestId", z.user_id AS "userId", r.state = 'open' AS "isOpen"`;
  const woken = rows.flatMap(({ isOpen, ...each }) => (isOpen ? [each] : []));
  await publishChange(tx, "input_request", [...new Set(woken.map(({ inputRequestId }) => inputRequestId))]);
  return { woken, isMore: rows.length === AT_ONCE };
}

function refused(message: string): AppError {
  return new AppError("invalid_input", message, { errors: [{ field: "until", message }] });
}

function personOnly(principal: Principal): string {
  if (principal.userId === null || !isPerson(principal))
    throw new AppError("forbidden", "Only a person can snooze requests, not an API key.");
  return principal.userId;
}
