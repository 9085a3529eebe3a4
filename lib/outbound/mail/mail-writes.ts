/**
 * The mail outbox. One engine claims a due mail, sends it outside of any transaction, and records the result.
 * If the engine dies, another one sends the mail again under the same Message-ID.
 */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { HELD_BY_ANOTHER } from "../notices/audience.ts";
import type { NoticeAbout } from "../notices/notice-words.ts";
import { stillTrue } from "../notices/still-true.ts";

/** Duration of a claim, longer than any attempt. */
export const TAKEN_MS = 120_000;
/** Minimum time between two mails to one person; later notices go into the next mail. */
const BETWEEN_MS = 60_000;
/** Mails that cannot be sent within this time are given up as outdated. */
const GIVEN_UP_MS = 24 * 3600_000;
export const BACKOFF_BASE_MS = 15_000;
export const BACKOFF_CAP_MS = 3600_000;
/** Delay before checking again whether another member still works on the request. */
const HELD_MS = 5 * 60_000;

export interface DueMail {
  id: string;
  /** This attempt's number, from 1. */
  attempt: number;
  to: { name: string; address: string };
  organization: string;
  /** Notices that still apply; if empty, there is nothing to send. */
  notices: NoticeAbout[];
}

/** Claims a due mail, or creates one for a person with notices to mail. Returns null if there is none. */
export async function takeMail(tx: Tx): Promise<DueMail | null> {
  const mail = (await takeWaiting(tx)) ?? (await makeMail(tx));
  if (!mail) return null;
  await gather(tx, mail);
  const [to] = await tx.$queryRaw<{ name: string; address: string; organization: string }[]>`
    SELECT u.name, u.email AS address, o.name AS organization FROM "user" u, organization o
    WHERE u.id = ${mail.userId}::uuid AND o.id = ${tx.organizationId}::uuid`;
  if (!to) return null; // removed just now; the mail is deleted with the membership
  return {
    id: mail.id,
    attempt: mail.attempts,
    to: { name: to.name, address: to.address },
    organization: to.organization,
    notices: await stillTrue(tx, mail.userId, ofMail(mail.id)),
  };
}

interface Taken {
  id: string;
  userId: string;
  attempts: number;
}

async function takeWaiting(tx: Tx): Promise<Taken | null> {
  const [taken] = await tx.$queryRaw<Taken[]>`
    UPDATE mail SET attempts = attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid AND state = 'waiting' AND id = (
      SELECT id FROM mail WHERE organization_id = ${tx.organizationId}::uuid AND state = 'waiting' AND not_before <= now()
      ORDER BY not_before LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, user_id AS "userId", attempts`;
  return taken ?? null;
}

/** Creates a mail for the person who has waited longest and was not mailed recently. One engine succeeds. */
async function makeMail(tx: Tx): Promise<Taken | null> {
  const [made] = await tx.$queryRaw<Taken[]>`
    INSERT INTO mail (organization_id, id, user_id, attempts, not_before)
    SELECT ${tx.organizationId}::uuid, ${uuidv7()}::uuid, n.user_id, 1, now() + ${TAKEN_MS} * interval '1 ms'
    FROM notice n WHERE n.organization_id = ${tx.organizationId}::uuid AND n.mail_id IS NULL
      AND n.mail_after BETWEEN now() - interval '1 day' AND now()
      AND NOT EXISTS (SELECT FROM mail m WHERE m.organization_id = n.organization_id AND m.user_id = n.user_id
        AND (m.state = 'waiting'
          OR (m.state <> 'dropped' AND m.created_at > now() - ${BETWEEN_MS} * interval '1 ms')))
    ORDER BY n.mail_after LIMIT 1
    ON CONFLICT DO NOTHING RETURNING id, user_id AS "userId", attempts`;
  return made ?? null;
}

/** Adds all of the person's due notices to the mail. */
async function gather(tx: Tx, { id, userId }: Taken): Promise<void> {
  await tx.$executeRaw`UPDATE notice n SET mail_after = now() + ${HELD_MS} * interval '1 ms'
    WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = ${userId}::uuid AND n.mail_after <= now()
      AND n.mail_id IS NULL AND ${HELD_BY_ANOTHER}`;
  await tx.$executeRaw`UPDATE notice SET mail_id = ${id}::uuid
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid AND mail_after <= now()
      AND mail_id IS NULL`;
}

const ofMail = (id: string) => Prisma.sql`n.mail_id = ${id}::uuid AND p.email IS NOT FALSE`;

/** Ends a mail: sent, nothing left to send, or rejected permanently. */
export async function endMail(
  tx: Tx,
  { id, attempt }: Pick<DueMail, "id" | "attempt">,
  state: "sent" | "dropped" | "failed",
  error: string | null = null,
): Promise<void> {
  await tx.mail.updateMany({
    where: { organizationId: tx.organizationId, id, state: "waiting", attempts: attempt },
    data: { state, error, endedAt: new Date() },
  });
}

/** Schedules a retry; after a day the mail has failed. */
export async function delayMail(
  tx: Tx,
  { id, attempt }: Pick<DueMail, "id" | "attempt">,
  error: string,
): Promise<void> {
  const wait = Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt, 20));
  await tx.$executeRaw`UPDATE mail SET error = ${error}, not_before = now() + ${wait} * interval '1 ms',
      state = CASE WHEN created_at < now() - ${GIVEN_UP_MS} * interval '1 ms' THEN 'failed' ELSE state END,
      ended_at = CASE WHEN created_at < now() - ${GIVEN_UP_MS} * interval '1 ms' THEN now() END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND state = 'waiting' AND attempts = ${attempt}`;
}

/** Deletes old mails without remaining notices. */
export async function forgetOldMail(tx: Tx, keepMs: number): Promise<void> {
  await tx.$executeRaw(Prisma.sql`DELETE FROM mail m WHERE organization_id = ${tx.organizationId}::uuid
    AND created_at < now() - ${keepMs} * interval '1 ms' AND state <> 'waiting' AND NOT EXISTS (
      SELECT FROM notice n WHERE n.organization_id = m.organization_id AND n.mail_id = m.id)`);
}
