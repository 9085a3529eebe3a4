/** Reads what a member's messages have to say now. */

import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { readInputRequest } from "../../requests/request-reads.ts";
import { HELD_BY_ANOTHER } from "../notices/audience.ts";
import { causeSchema, MOST_COUNTED } from "../notices/notice-schema.ts";
import { noticeWords } from "../notices/notice-words.ts";
import { type StillTrue, stillTrue } from "../notices/still-true.ts";
import { GONE_MESSAGE, type Message, noticeMessage, requestMessage } from "./message.ts";
import { offeredButtons } from "./offer.ts";
import type { Platform } from "./platforms.ts";

/** A member as they act themselves, so that a message shows what their screen would. Null: they are none any more. */
export async function memberAsCaller(
  tx: Tx,
  userId: string,
): Promise<(Principal & { userId: string }) | null> {
  const { organizationId } = tx;
  const [row] = await tx.$queryRaw<{ role: string; name: string }[]>`
    SELECT m.role, u.name FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ${userId}::uuid`;
  if (!row) return null;
  const actor = { kind: "member" as const, id: userId, name: row.name };
  return { organizationId, userId, role: roleSchema.parse(row.role), actor };
}

/** The member's notices that the platform has to tell, oldest first; one on which another member works is held back. */
export function toldOn({ after, chosen }: Platform, tx: Tx, userId: string): Promise<StillTrue[]> {
  return stillTrue(
    tx,
    userId,
    Prisma.sql`n.${after} <= now() AND p.${chosen} IS NOT FALSE AND NOT ${HELD_BY_ANOTHER} AND n.id IN (
      SELECT newest.id FROM notice newest WHERE newest.organization_id = n.organization_id AND newest.user_id = n.user_id
        AND newest.${after} <= now() AND newest.read_at IS NULL AND newest.withdrawn_at IS NULL
      ORDER BY newest.created_at DESC, newest.id DESC LIMIT ${MOST_COUNTED})`,
  );
}

/** Delay before checking again whether another member still works on a request. */
const HELD_MS = 5 * 60_000;

/** When the member is next to be told of something by time alone; null: never. */
export async function nextTimeOn({ after }: Platform, tx: Tx, userId: string): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ next: Date | null }[]>`
    SELECT min(CASE WHEN n.${after} > now() THEN n.${after} ELSE now() + ${HELD_MS} * interval '1 ms' END) AS next
    FROM notice n WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = ${userId}::uuid
      AND n.read_at IS NULL AND n.withdrawn_at IS NULL AND n.${after} IS NOT NULL
      AND (n.${after} > now() OR ${HELD_BY_ANOTHER})`;
  return row?.next ?? null;
}

/** Causes of notices that ask the member to decide. */
const ASKS = ["request.waiting", "request.assigned", "request.reminded", "request.woke"];

export interface Looking {
  appUrl: string;
  withText: boolean;
}

/** What a message about a request shows this member. `told`: the member's notices of it that the platform has to tell. */
export async function requestView(
  tx: Tx,
  member: Principal & { userId: string },
  requestId: string,
  told: StillTrue[],
  given: Looking,
): Promise<Message> {
  const read = (whole: Tx) => readInputRequest(whole, member, requestId);
  const opened = await read(tx).catch(unless("not_found", "content_unavailable"));
  // Without the organization's key its texts are blank: nothing of them is shown, and nobody decides on them here.
  const request = opened ?? (await read(openingWhatOpens(tx, "blank")).catch(unless("not_found")));
  if (!request) return GONE_MESSAGE;
  const looking = opened ? given : { ...given, withText: false };
  const isOpen = request.state === "open" && request.task.cancelRequestedAt === null;
  const asks = await noticesOf(tx, member.userId, requestId, ASKS);
  const others = told.filter(({ cause }) => !ASKS.includes(cause));
  const newest = asks.at(-1);
  const hasVoted = request.approval?.mine != null && !request.approval.canVote;
  if (isOpen && newest && !hasVoted) {
    const buttons = offeredButtons(request, { member, withText: looking.withText });
    return requestMessage(request, { heading: noticeWords(newest).text, isOpen: true, buttons }, looking);
  }
  // A vote of the member's own waits for others.
  if (isOpen && hasVoted)
    return requestMessage(request, { heading: null, isOpen: true, buttons: [] }, looking);
  const other = others.at(-1);
  return requestMessage(
    request,
    { heading: other ? noticeWords(other).text : null, isOpen: other !== undefined, buttons: [] },
    looking,
  );
}

/** For `catch`: null for these refusals. */
const unless =
  (...codes: string[]) =>
  (error: unknown): null => {
    if (error instanceof AppError && codes.includes(error.code)) return null;
    throw error;
  };

/** A member's notices about a subject that were not withdrawn, read or not, oldest first. */
async function noticesOf(tx: Tx, userId: string, subject: string, causes: string[]) {
  const rows = await tx.notice.findMany({
    where: { organizationId: tx.organizationId, userId, subject, cause: { in: causes }, withdrawnAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: { cause: true, inputRequestId: true },
  });
  return rows.map(({ cause, inputRequestId }) => ({
    ...{ cause: causeSchema.parse(cause), inputRequestId, task: null, server: null },
    ...{ apiKey: null, agent: null, assignment: null },
  }));
}

/** What a message about anything else shows; null: it stays as it is. */
export async function noticeView(
  tx: Tx,
  userId: string,
  subject: string,
  told: StillTrue[],
  appUrl: string,
): Promise<Message | null> {
  const newest = told.at(-1);
  if (newest) {
    const { text, about, path } = noticeWords(newest);
    const message = noticeMessage({ heading: text, about, path }, appUrl);
    // How a task ended is told once, and never taken back.
    return { ...message, isClosed: newest.cause.startsWith("task.") };
  }
  const [last] = await tx.notice.findMany({
    where: { organizationId: tx.organizationId, userId, subject },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: 1,
    select: { cause: true, withdrawnAt: true },
  });
  if (!last) return GONE_MESSAGE;
  if (last.withdrawnAt === null) return null;
  const about = {
    inputRequestId: null,
    assignment: null,
    apiKey: null,
    agent: null,
    task: null,
    server: null,
  };
  const { text } = noticeWords({ ...about, cause: causeSchema.parse(last.cause) });
  return noticeMessage({ heading: text, about: "", path: null }, appUrl);
}
