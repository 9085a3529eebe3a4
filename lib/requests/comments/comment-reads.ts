/** Reads the thread of a request, as far as the principal may see the request. Agents see nothing of it. */

import { actorSchema, type Person } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import { agentOf, isPerson, type Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { containing } from "../../base/db/search.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { REQUESTER } from "../../people/members/one-maker.ts";
import { tellApart } from "../../people/members/person-name.ts";
import { iso } from "../../tasks/task-row.ts";
import { SEEN_BY_MEMBER, visibleTask } from "../../tasks/visibility.ts";
import type { Mentionable, RequestComment, RequestThread } from "./comment-schema.ts";

/** Most people that a search for somebody to mention returns. */
const MOST_FOUND = 20;

/** Throws `not_found`, also for invisible requests and for agents. */
export async function readThread(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<RequestThread> {
  const taskId = await requireVisible(tx, principal, inputRequestId);
  const { requester, mayComment } = await speaker(tx, principal, taskId);
  return {
    items: await listComments(tx, Prisma.sql`k.input_request_id = ${inputRequestId}::uuid`),
    mayComment,
    requester: requester?.id === principal.userId ? null : requester,
  };
}

/** The comments that a condition on `k` matches, oldest first. */
export async function listComments(tx: Tx, which: Prisma.Sql): Promise<RequestComment[]> {
  const rows = await tx.$queryRaw<CommentRow[]>`
    SELECT k.id, k.written_by AS "by", k.created_at AS at, k.text, k.asks, k.deleted_at AS "deletedAt",
      CASE WHEN k.deleted_at IS NULL AND cardinality(k.mentions) > 0 THEN (
        SELECT json_agg(json_build_object('id', u.id, 'name', u.name) ORDER BY u.name, u.id)
        FROM "user" u WHERE u.id = ANY (k.mentions)) END AS mentions
    FROM request_comment k WHERE k.organization_id = ${tx.organizationId}::uuid AND ${which}
    ORDER BY k.created_at, k.id`;
  return rows.map(({ by, at, mentions, deletedAt, ...row }) => ({
    ...row,
    by: actorSchema.parse(by),
    at: at.toISOString(),
    mentions: mentions ?? [],
    deletedAt: iso(deletedAt),
  }));
}

interface CommentRow {
  id: string;
  by: unknown;
  at: Date;
  text: string | null;
  asks: boolean;
  deletedAt: Date | null;
  mentions: Person[] | null;
}

/** Members who may see the request and whose names contain these words. Only for people who may comment. */
export async function findMentionable(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  words = "",
): Promise<Mentionable[]> {
  refuseUnlessInPerson(principal);
  const taskId = await requireVisible(tx, principal, inputRequestId);
  const { mayComment } = await speaker(tx, principal, taskId);
  if (!mayComment) throw refusedToComment();
  const found = await membersWho<Person & { email: string }>(
    tx,
    taskId,
    Prisma.sql`m.user_id <> ${principal.userId}::uuid AND lower(u.name) LIKE lower(${containing(words.trim())})`,
    Prisma.sql`, u.email`,
  );
  return tellApart(found);
}

/** Those of these users who are members and may see the task. */
export async function mentionableAmong(tx: Tx, taskId: string, userIds: string[]): Promise<Person[]> {
  if (userIds.length === 0) return [];
  return membersWho(tx, taskId, Prisma.sql`m.user_id = ANY (${userIds}::uuid[])`);
}

export interface Speaker {
  /** The member behind the task, who may see it. Null: there is none. */
  requester: Person | null;
  /** The caller is a person who may answer, or the requester. */
  mayComment: boolean;
}

export async function speaker(tx: Tx, principal: Principal, taskId: string): Promise<Speaker> {
  const [requester = null] = await membersWho(tx, taskId, Prisma.sql`m.user_id = ${REQUESTER}`);
  return {
    requester,
    mayComment:
      isInPerson(principal) && (allows(principal, "requests:answer") || requester?.id === principal.userId),
  };
}

function isInPerson(principal: Principal): boolean {
  return isPerson(principal) && !principal.isView;
}

/** Before the request is looked for: a program learns nothing of it here. */
export function refuseUnlessInPerson(principal: Principal): void {
  if (!isInPerson(principal)) throw refusedToComment();
}

export function refusedToComment(): AppError {
  return new AppError(
    "forbidden",
    "Only people who may answer, or who asked for the task, write comments, and only in person.",
  );
}

function membersWho<T extends Person = Person>(
  tx: Tx,
  taskId: string,
  which: Prisma.Sql,
  more = Prisma.empty,
): Promise<T[]> {
  return tx.$queryRaw<T[]>`
    SELECT u.id, u.name${more} FROM task t JOIN membership m ON m.organization_id = t.organization_id
      JOIN "user" u ON u.id = m.user_id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND ${SEEN_BY_MEMBER} AND ${which}
    ORDER BY u.name, u.id LIMIT ${MOST_FOUND}`;
}

async function requireVisible(tx: Tx, principal: Principal, inputRequestId: string): Promise<string> {
  if (agentOf(principal) !== null) throw notFound("request");
  const [request] = await tx.$queryRaw<{ taskId: string }[]>`
    SELECT t.id AS "taskId" FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}`;
  if (!request) throw notFound("request");
  return request.taskId;
}
