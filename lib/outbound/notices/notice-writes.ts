/**
 * Writes to notices. The engine creates and withdraws them; people mark them as read. mail-writes.ts puts them into mails, and
 * snooze-writes.ts marks those of a snoozed request as read.
 */

import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { planOnce } from "../../base/db/plan-mode.ts";
import { notFound } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { PLATFORMS, type Platform, SLACK, TEAMS } from "../channel/platforms.ts";
import { audienceOf, type Subjects } from "./audience.ts";
import type { OwnDoing } from "./follow.ts";
import { memberOf } from "./notice-reads.ts";
import { CAUSES, type Cause, DEFAULT_CHANNELS } from "./notice-schema.ts";

/** Delay before mailing, which groups simultaneous notices and skips those handled in the app at once. */
const MAIL_AFTER_MS = 10_000;
/** Longer delay for servers, so that short outages are told in the app alone. */
const AFTER_OUTAGE_MS = 5 * 60_000;
/** Delay before pushing and before telling in Slack and Teams: notices of one moment go together. */
const PUSH_AFTER_MS = 500;
/** A notice that recurs within this time is not mailed again. */
const MAILED_LATELY_MS = 3600_000;

/**
 * Creates missing notices of these subjects, restores withdrawn ones that apply again, and withdraws obsolete
 * ones. Idempotent. `mails`: the installation has a mail server.
 */
export async function syncNotices(tx: Tx, subjects: Subjects, mails: boolean): Promise<void> {
  const { organizationId } = tx;
  const ids = Object.values(subjects).flat();
  if (ids.length === 0) return;
  await planOnce(tx);
  const affected = await tx.$queryRaw<{ user_id: string }[]>`
    WITH audience (user_id, cause, subject, task_id, input_request_id, server_id) AS MATERIALIZED (${audienceOf(organizationId, subjects)}),
    wanted AS (
      SELECT a.*, k.kind, k.mail_ms, coalesce(p.in_app, k.in_app) AS in_app,
        ${mails} AND coalesce(p.email, k.email) AS email,
        CASE WHEN coalesce(p.push, k.push) THEN now() + k.push_ms * interval '1 ms' END AS push_after,
        ${afterOn(SLACK, organizationId)}, ${afterOn(TEAMS, organizationId)}
      FROM audience a
        JOIN (VALUES ${DEFAULTS}) AS k (cause, kind, mail_ms, push_ms, in_app, email, push, slack, teams) ON k.cause = a.cause
        LEFT JOIN notice_preference p ON p.organization_id = ${organizationId}::uuid AND p.user_id = a.user_id
          AND p.kind = k.kind),
    gone AS (
      UPDATE notice n SET withdrawn_at = now(), mail_after = CASE WHEN n.mail_id IS NULL THEN NULL ELSE n.mail_after END
      WHERE n.organization_id = ${organizationId}::uuid AND n.subject = ANY(${ids}::uuid[]) AND n.withdrawn_at IS NULL
        AND NOT EXISTS (SELECT FROM audience a
          WHERE a.user_id = n.user_id AND a.cause = n.cause AND a.subject = n.subject)
      RETURNING n.user_id),
    made AS (
      INSERT INTO notice AS n (organization_id, id, user_id, kind, cause, subject, task_id, input_request_id, server_id,
        in_app, mail_after, push_after, slack_after, teams_after)
      SELECT ${organizationId}::uuid, gen_random_uuid(), w.user_id, w.kind, w.cause, w.subject, w.task_id,
        w.input_request_id, w.server_id, w.in_app, CASE WHEN w.email THEN now() + w.mail_ms * interval '1 ms' END, w.push_after, w.slack_after,
        w.teams_after
      FROM wanted w WHERE w.in_app OR w.email OR w.push_after IS NOT NULL OR w.slack_after IS NOT NULL
        OR w.teams_after IS NOT NULL
      ON CONFLICT (organization_id, user_id, cause, subject) DO UPDATE SET withdrawn_at = NULL, read_at = NULL,
        created_at = now(), in_app = excluded.in_app,
        mail_id = CASE WHEN n.created_at > now() - ${MAILED_LATELY_MS} * interval '1 ms' THEN n.mail_id END,
        mail_after = excluded.mail_after, push_after = excluded.push_after, slack_after = excluded.slack_after,
        teams_after = excluded.teams_after
      WHERE n.withdrawn_at IS NOT NULL
      RETURNING n.user_id)
    SELECT user_id FROM gone UNION SELECT user_id FROM made`;
  const members = affected.map((row) => row.user_id);
  await publishChange(tx, "notice", members);
  await noteForChannels(tx, members, subjects.requests);
}

/** SQL column: when the member is told on the platform; null: never. */
const afterOn = ({ account, chosen, after }: Platform, organizationId: string) => Prisma.sql`
  CASE WHEN coalesce(p.${chosen}, k.${chosen}) AND EXISTS (SELECT FROM ${account} s
    WHERE s.organization_id = ${organizationId}::uuid AND s.user_id = a.user_id)
    THEN now() + k.push_ms * interval '1 ms' END AS ${after}`;

/** Has messages on platforms looked at again: those to these members, and those about these requests, whose votes may have moved. */
async function noteForChannels(tx: Tx, members: string[], requests: string[]): Promise<void> {
  for (const { account, message } of PLATFORMS)
    await tx.$executeRaw`UPDATE ${account} a SET due_at = least(a.due_at, now())
      WHERE a.organization_id = ${tx.organizationId}::uuid AND (a.user_id = ANY (${members}::uuid[]) OR EXISTS (
        SELECT FROM ${message} m WHERE m.organization_id = a.organization_id AND m.user_id = a.user_id
          AND m.matter = ANY (${requests}::uuid[])))`;
}

/** Withdraws the notices of a cause, of one user or all, so that `syncNotices` tells those again whom it concerns. */
export async function withdrawNotices(
  tx: Tx,
  cause: Cause,
  subject: string,
  userId: string | null = null,
): Promise<void> {
  await tx.$executeRaw`UPDATE notice SET withdrawn_at = now(), mail_after = CASE WHEN mail_id IS NULL THEN NULL ELSE mail_after END
    WHERE organization_id = ${tx.organizationId}::uuid AND subject = ${subject}::uuid AND cause = ${cause} AND withdrawn_at IS NULL
      AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)`;
}

const DEFAULTS = Prisma.join(
  (Object.keys(CAUSES) as Cause[]).map((cause) => {
    const kind = CAUSES[cause];
    const { app, email, push, slack, teams } = DEFAULT_CHANNELS[kind];
    const isOutage = cause === "server.unhealthy";
    const mailMs = isOutage ? AFTER_OUTAGE_MS : MAIL_AFTER_MS;
    const pushMs = isOutage ? AFTER_OUTAGE_MS : PUSH_AFTER_MS;
    return Prisma.sql`(${cause}, ${kind}, ${mailMs}::integer, ${pushMs}::integer, ${app}::boolean, ${email}::boolean, ${push}::boolean, ${slack}::boolean,
      ${teams}::boolean)`;
  }),
);

/** Marks notices of members' own actions as read, and does not mail them. */
export async function markOwnRead(tx: Tx, own: OwnDoing[]): Promise<void> {
  if (own.length === 0) return;
  await tx.$executeRaw`UPDATE notice n SET read_at = now(), mail_after = NULL
    FROM unnest(${own.map(({ userId }) => userId)}::uuid[], ${own.map(({ subject }) => subject)}::uuid[])
      AS did (user_id, subject)
    WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = did.user_id AND n.subject = did.subject
      AND n.read_at IS NULL AND n.mail_id IS NULL`;
}

/**
 * Marks the member's own notice as read and drops its pending mail. Idempotent. One about the account stays unread
 * unless `sessionId` was opened after it, and its mail goes out in any case.
 */
export async function markRead(
  tx: Tx,
  principal: Principal,
  noticeId: string,
  sessionId: string | null = null,
): Promise<void> {
  const userId = memberOf(principal);
  const found = await tx.notice.count({ where: { organizationId: tx.organizationId, userId, id: noticeId } });
  if (found === 0) {
    const [row] = await tx.$queryRaw<{ read: boolean | null }[]>`
      SELECT gate.read_account_notice(${userId}::uuid, ${noticeId}::uuid, ${sessionId}::uuid) AS read`;
    if (!row || row.read === null) throw notFound("notice");
    if (row.read) await publishChange(tx, "notice", [userId]);
    return;
  }
  await read(tx, userId, Prisma.sql`id = ${noticeId}::uuid`);
}

/** Marks all current notices of the organization as read; those about the account are read one by one. */
export async function markAllRead(tx: Tx, principal: Principal): Promise<void> {
  await read(tx, memberOf(principal), Prisma.sql`withdrawn_at IS NULL`);
}

async function read(tx: Tx, userId: string, which: Prisma.Sql): Promise<void> {
  const marked = await tx.$executeRaw`UPDATE notice SET read_at = now(), mail_after = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid AND read_at IS NULL AND ${which}`;
  if (marked === 0) return;
  await publishChange(tx, "notice", [userId]);
  await noteForChannels(tx, [userId], []);
}

/** Deletes old notices in any state. Returns true if more remain. */
export async function forgetOldNotices(tx: Tx, keepMs: number, limit: number): Promise<boolean> {
  const gone =
    await tx.$executeRaw`DELETE FROM notice WHERE organization_id = ${tx.organizationId}::uuid AND id IN (
    SELECT id FROM notice WHERE organization_id = ${tx.organizationId}::uuid
      AND created_at < now() - ${keepMs} * interval '1 ms' LIMIT ${limit})`;
  return gone === limit;
}
