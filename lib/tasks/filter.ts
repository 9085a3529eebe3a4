/** What narrows lists, counts and choices of tasks, as conditions on the alias `t`. */
import { Prisma } from "../db.ts";
import type { Principal } from "../principal.ts";
import { ATTENTION, type AttentionCode } from "./attention.ts";
import { needs } from "./attention-sql.ts";
import { TASK_STATES, type TaskFilter, type TaskState } from "./schema.ts";
import { visibleTask } from "./visibility.ts";

/**
 * A part of what a filter lets through, found along an index of its own: one state, or one code of attention in its
 * states. A task may be in several parts of codes.
 */
export interface Part {
  states: readonly TaskState[];
  where: Prisma.Sql;
}

export function partsOf(
  organizationId: string,
  { state, attention }: Pick<TaskFilter, "state" | "attention">,
): Part[] {
  const states = [...new Set(state ?? TASK_STATES)];
  // State by state, and each named, so that the planner knows how many there are.
  if (!attention) return states.map((one) => part([one]));
  return [...new Set(attention)].flatMap((code) => {
    const concerned = ATTENTION[code].states.filter((one) => states.includes(one));
    return concerned.length === 0 ? [] : [part(concerned, code)];
  });

  function part(of: TaskState[], code?: AttentionCode): Part {
    const inState = of.length === 1 ? Prisma.sql`t.state = ${of[0]}` : Prisma.sql`t.state = ANY (${of})`;
    return { states: of, where: code ? Prisma.sql`${inState} AND ${needs(organizationId, code)}` : inState };
  }
}

/** All of a filter but what `partsOf` makes of it, with what the principal may see. */
export function matching(organizationId: string, principal: Principal, filter: TaskFilter): Prisma.Sql {
  const conditions = [Prisma.sql`t.organization_id = ${organizationId}::uuid`, visibleTask(principal)];
  const { serverId, tool, createdAfter, createdBefore, finishedAfter, finishedBefore, requester } = filter;
  if (serverId) conditions.push(Prisma.sql`t.server_id = ${serverId}::uuid`);
  if (tool) conditions.push(Prisma.sql`t.tool = ${tool}`);
  if (createdAfter) conditions.push(Prisma.sql`t.created_at > ${createdAfter}::timestamptz`);
  if (createdBefore) conditions.push(Prisma.sql`t.created_at < ${createdBefore}::timestamptz`);
  if (finishedAfter) conditions.push(Prisma.sql`t.finished_at > ${finishedAfter}::timestamptz`);
  if (finishedBefore) conditions.push(Prisma.sql`t.finished_at < ${finishedBefore}::timestamptz`);
  if (requester === "me") conditions.push(requestedByMe(principal));
  else if (requester) conditions.push(requestedBy(requester));
  if (filter.q?.trim()) conditions.push(said(organizationId, filter.q.trim()));
  return Prisma.join(conditions, " AND ");
}

/** Whether a task, or its server's name, has these words. The text is that of task_search(), migration 0026. */
export function said(organizationId: string, words: string): Prisma.Sql {
  const text = Prisma.sql`left(t.tool || E'\\n' || coalesce(t.label, '') || E'\\n' || coalesce(t.status_message, '') ||
    E'\\n' || t.arguments::text, 8000)`;
  return Prisma.sql`(${contains(text, words)} OR t.server_id = ANY (ARRAY(SELECT s.id FROM server s
    WHERE s.organization_id = ${organizationId}::uuid AND ${contains(Prisma.sql`s.name`, words)})))`;
}

function requestedByMe({ userId, actor }: Principal): Prisma.Sql {
  if (userId) return Prisma.sql`t.requester_user_id = ${userId}::uuid`;
  return Prisma.sql`(t.requested_by->>'kind' = 'key' AND t.requested_by->>'id' = ${actor.id})`;
}

function requestedBy(id: string): Prisma.Sql {
  return Prisma.sql`(t.requester_user_id = ${id}::uuid OR t.requested_by->>'id' = ${id})`;
}

/**
 * Whether a text has these words, in whatever case. Plain letters are compared by the rules of "C", which is several times as
 * quick: a rare search reads every task.
 */
function contains(text: Prisma.Sql, words: string): Prisma.Sql {
  const collation = /^[\x20-\x7e]*$/.test(words) ? Prisma.sql`COLLATE "C"` : Prisma.empty;
  return Prisma.sql`strpos(lower((${text}) ${collation}), lower(${words})) > 0`;
}
