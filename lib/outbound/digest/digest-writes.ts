/**
 * Daily digests. One engine claims a due one, sends it outside of any transaction, and records the result. If the engine dies,
 * another one sends it again under the same Message-ID.
 */
import { createHash } from "node:crypto";
import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { readCalendar } from "../../policy/calendar/calendar-reads.ts";
import { listWaiting, type Waiting } from "../../requests/lists/deadlines.ts";
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, TAKEN_MS } from "../mail/mail-writes.ts";
import { type Digest, type DigestChoice, digestSchema } from "./digest-schema.ts";
import { dayIn, isWorkingDay, nextDue } from "./digest-times.ts";

/** A digest that can't be sent within this time is left out: the next one says what is open then. */
const GIVEN_UP_MS = 12 * 3600_000;
/** Requests in a mail; further ones are counted. */
const MOST_LISTED = 20;

/** Null: the member has never chosen. */
export async function readDigest(tx: Tx, userId: string): Promise<Digest | null> {
  const row = await tx.dailyDigest.findFirst({ where: { organizationId: tx.organizationId, userId } });
  if (!row) return null;
  const { days, hour, zone, sentAt, error, failingSince } = row;
  return {
    ...{ days: digestSchema.shape.days.parse(days), hour, zone },
    sentAt: sentAt?.toISOString() ?? null,
    failure:
      days !== "off" && error !== null && failingSince ? { error, since: failingSince.toISOString() } : null,
  };
}

/** Takes effect with the next digest: none goes out on a day that has had one. */
export async function setDigest(tx: Tx, userId: string, choice: DigestChoice): Promise<void> {
  const { days, hour, zone } = choice;
  // Waits for an engine that stores the day of a digest which it has just sent.
  const [row] = await tx.$queryRaw<
    { lastDay: string | null }[]
  >`SELECT last_day::text AS "lastDay" FROM daily_digest
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid FOR UPDATE`;
  const dueAt = days === "off" ? null : nextDue(choice, new Date(), row?.lastDay ?? null);
  await tx.$executeRaw`INSERT INTO daily_digest (organization_id, user_id, days, hour, zone, due_at)
    VALUES (${tx.organizationId}::uuid, ${userId}::uuid, ${days}, ${hour}::smallint, ${zone}, ${dueAt}::timestamptz)
    ON CONFLICT (organization_id, user_id) DO UPDATE SET days = excluded.days, hour = excluded.hour, zone = excluded.zone,
      due_at = excluded.due_at`;
}

/** Turns the digest off, and leaves the hour as it is. Does nothing if there is none. */
export async function turnOffDigest(tx: Tx, userId: string): Promise<void> {
  await tx.dailyDigest.updateMany({
    where: { organizationId: tx.organizationId, userId },
    data: { days: "off", dueAt: null },
  });
}

export interface TakenDigest extends Waiting {
  userId: string;
  /** Names the mail in its Message-ID: the same at every attempt of a day. */
  mailId: string;
  /** This attempt's number, from 1. */
  attempt: number;
  claimedUntil: Date;
  dueAt: Date;
  /** The day that the digest is for. */
  day: string;
  zone: string;
  to: { name: string; address: string };
  organization: string;
  locale: string | null;
  now: Date;
}

interface Row {
  userId: string;
  attempt: number;
  claimedUntil: Date;
  dueAt: Date;
  days: string;
  zone: string;
  now: Date;
}

/** Claims a due digest and reads what waits for its member now. Null: none is due. A count of 0: there is nothing to send. */
export async function takeDigest(tx: Tx): Promise<TakenDigest | null> {
  const { organizationId } = tx;
  const [row] = await tx.$queryRaw<Row[]>`
    UPDATE daily_digest SET attempts = attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND user_id = (
      SELECT user_id FROM daily_digest WHERE organization_id = ${organizationId}::uuid AND due_at <= now() AND not_before <= now()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING user_id AS "userId", attempts AS attempt, not_before AS "claimedUntil", due_at AS "dueAt", days, zone, now() AS now`;
  if (!row) return null;
  const { userId, attempt, claimedUntil, dueAt, zone, now } = row;
  const [person] = await tx.$queryRaw<
    { name: string; address: string; organization: string; role: string; locale: string | null }[]
  >`SELECT u.name, u.email AS address, o.name AS organization, m.role, m.locale FROM membership m
    JOIN "user" u ON u.id = m.user_id JOIN organization o ON o.id = m.organization_id
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ${userId}::uuid`;
  if (!person) return null; // removed just now; the digest is deleted with the membership
  const { name, address, organization, locale } = person;
  const day = dayIn(zone, dueAt);
  const isWanted =
    now.getTime() - dueAt.getTime() < GIVEN_UP_MS &&
    (row.days === "all" || isWorkingDay((await readCalendar(tx)).calendar, day));
  const principal: Principal = {
    ...{ organizationId, userId, role: roleSchema.parse(person.role) },
    actor: { kind: "member", id: userId, name },
  };
  const waiting = isWanted ? await listWaiting(tx, principal, MOST_LISTED) : NOTHING;
  const mailId = createHash("sha256").update(`${organizationId} ${userId} ${day}`).digest("hex");
  const to = { name, address };
  return {
    ...{ userId, mailId, attempt, claimedUntil, dueAt, day, zone, to, organization, locale, now },
    ...waiting,
  };
}

const NOTHING: Waiting = { requests: [], count: 0, overdue: 0 };

/** What became of an attempt. `skipped`: there was nothing to send, or no day for it. */
export type DigestOutcome =
  | { kind: "sent" }
  | { kind: "skipped" }
  | { kind: "failed"; error: string; permanent: boolean };

/** Records an attempt, unless another one was made meanwhile, whose result counts. */
export async function settleDigest(tx: Tx, taken: TakenDigest, outcome: DigestOutcome): Promise<void> {
  const { organizationId } = tx;
  const { userId, attempt, claimedUntil, dueAt, day } = taken;
  const where = { organizationId, userId, notBefore: claimedUntil };
  const [row] = await tx.$queryRaw<Settled[]>`
    SELECT days, hour, zone, last_day::text AS "lastDay", failing_since AS "failingSince", now() AS now FROM daily_digest
    WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid
      AND not_before = ${claimedUntil}::timestamptz FOR UPDATE`;
  if (!row) return;
  const { now } = row;
  const failure = outcome.kind === "failed" && {
    error: outcome.error,
    failingSince: row.failingSince ?? now,
  };
  if (outcome.kind === "failed" && !outcome.permanent) {
    const wait = Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt, 20));
    await tx.dailyDigest.updateMany({
      where,
      data: { ...failure, notBefore: new Date(now.getTime() + wait) },
    });
    return;
  }
  // An attempt whose reply was lost may have been delivered.
  const isDayOver = outcome.kind !== "skipped" || attempt > 1;
  const lastDay = isDayOver && (row.lastDay === null || row.lastDay < day) ? day : row.lastDay;
  // After a long outage: the digest of today, whose hour is over, too.
  const from = new Date(Math.max(dueAt.getTime(), now.getTime() - GIVEN_UP_MS));
  await tx.dailyDigest.updateMany({
    where,
    data: {
      ...{ attempts: 0, notBefore: now },
      dueAt: row.days === "off" ? null : nextDue(row, from, lastDay),
      lastDay: lastDay === null ? null : new Date(`${lastDay}T00:00Z`),
      ...failure,
      ...(outcome.kind === "sent" && { sentAt: now, error: null, failingSince: null }),
    },
  });
}

/** The row of an attempt, as the member has it by now. */
interface Settled {
  days: string;
  hour: number;
  zone: string;
  lastDay: string | null;
  failingSince: Date | null;
  now: Date;
}
