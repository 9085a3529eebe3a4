/** SQL conditions on the alias `t` that narrow lists, counts and choices of tasks. */

import type { Principal } from "../access/principal.ts";
import { Prisma } from "../base/db/db.ts";
import { containing } from "../base/db/search.ts";
import { answerOnItsWay, IS_GATED, needs, OF_SERVERS } from "./attention-sql.ts";
import { failuresOf } from "./failure-sql.ts";
import { ATTENTION, type AttentionCode } from "./task-attention.ts";
import type { TaskFilter } from "./task-schema.ts";
import { hasEnded, TASK_STATES, type TaskState } from "./task-status.ts";
import { visibleTask } from "./visibility.ts";

/**
 * A part of a filter's matches, found along its own index: one state, or one attention code in its states. A
 * task may be in the parts of several codes.
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
  // Each state is a literal, so that the planner knows the number of rows.
  if (!attention) return states.map((one) => part([one]));
  return [...new Set(attention)].flatMap((code) => {
    const concerned = ATTENTION[code].states.filter((one) => states.includes(one));
    if (!OF_SERVERS.includes(code) || !concerned.includes("input_required"))
      return concerned.length === 0 ? [] : [part(concerned, code)];
    const [waiting, moving] = [
      part(["input_required"], code),
      concerned.filter((one) => one !== "input_required"),
    ];
    waiting.where = Prisma.sql`${waiting.where} AND ${answerOnItsWay(organizationId)}`;
    return moving.length === 0 ? [waiting] : [part(moving, code), waiting];
  });

  function part(of: TaskState[], code?: AttentionCode): Part {
    const several = of.some(hasEnded) ? Prisma.empty : Prisma.sql`${IS_OPEN} AND`;
    const inState =
      of.length === 1 ? Prisma.sql`t.state = ${of[0]}` : Prisma.sql`${several} t.state = ANY (${of})`;
    return { states: of, where: code ? Prisma.sql`${inState} AND ${needs(organizationId, code)}` : inState };
  }
}

/** The rest of a filter, beside `partsOf`, and the tasks that the principal may see. */
export function matching(organizationId: string, principal: Principal, filter: TaskFilter): Prisma.Sql {
  const conditions = [Prisma.sql`t.organization_id = ${organizationId}::uuid`, visibleTask(principal)];
  const { serverId, tool, createdAfter, createdBefore, finishedAfter, finishedBefore, requester } = filter;
  if (filter.waiting === "true") conditions.push(WAITS);
  if (filter.waiting === "false") conditions.push(Prisma.sql`NOT ${WAITS}`);
  if (serverId) conditions.push(Prisma.sql`t.server_id = ${serverId}::uuid`);
  if (tool) conditions.push(Prisma.sql`t.tool = ${tool}`);
  if (createdAfter) conditions.push(Prisma.sql`t.created_at > ${createdAfter}::timestamptz`);
  if (createdBefore) conditions.push(Prisma.sql`t.created_at < ${createdBefore}::timestamptz`);
  if (finishedAfter) conditions.push(Prisma.sql`t.finished_at > ${finishedAfter}::timestamptz`);
  if (finishedBefore) conditions.push(Prisma.sql`t.finished_at < ${finishedBefore}::timestamptz`);
  if (requester === "me") conditions.push(requestedByMe(principal));
  else if (requester) conditions.push(requestedBy(requester));
  if (filter.q?.trim()) conditions.push(said(organizationId, filter.q.trim()));
  const all = Prisma.join(conditions, " AND ");
  if (!filter.cause) return all;
  return Prisma.sql`${all} AND t.id = ANY (ARRAY(${failuresOf(filter.cause, all, filter.state)}))`;
}

/** As the index of open tasks says it: the planner uses it for states that it does not know yet. */
const IS_OPEN = Prisma.sql`t.state IN (${Prisma.raw(
  TASK_STATES.filter((state) => !hasEnded(state))
    .map((state) => `'${state}'`)
    .join(", "),
)})`;

/** A person has to act first. Never null. */
const WAITS = Prisma.sql`(t.state = 'input_required' OR (t.state = 'queued' AND ${IS_GATED}))`;

/** Matches tasks whose text or server name contains these words. */
function said(organizationId: string, words: string): Prisma.Sql {
  return Prisma.sql`(${saidIn(Prisma.sql`t`, words)} OR t.server_id = ANY (ARRAY(SELECT s.id FROM server s
    WHERE s.organization_id = ${organizationId}::uuid AND ${contains(Prisma.sql`s.name`, words)})))`;
}

/** The columns of a task `t` that are searched. */
export const SAID_IN = Prisma.sql`, t.tool, t.label, t.status_message, t.arguments`;

/**
 * Matches rows of `alias` whose `SAID_IN` columns contain these words. The text equals that of the function
 * `task_search`.
 */
export function saidIn(alias: Prisma.Sql, words: string): Prisma.Sql {
  const text = Prisma.sql`left(${alias}.tool || E'\\n' || coalesce(searchable(${alias}.label), '') || E'\\n' ||
    coalesce(searchable(${alias}.status_message), '') || E'\\n' || searchable(${alias}.arguments::text), 8000)`;
  return contains(text, words);
}

/** The ids of tasks that contain these words, by the texts that triggers keep; some may be outside `states`. */
export function saying(organizationId: string, words: string, states: TaskState[]): Prisma.Sql {
  const open = Prisma.sql`SELECT task_id FROM open_task_text WHERE organization_id = ${organizationId}::uuid
    AND strpos(search COLLATE "C", lower(${words})) > 0`;
  const ended = Prisma.sql`SELECT search_ended_tasks(lower(${containing(words)}))`;
  return Prisma.join(
    [...(states.every(hasEnded) ? [] : [open]), ...(states.some(hasEnded) ? [ended] : [])],
    " UNION ALL ",
  );
}

function requestedByMe({ userId, actor }: Principal): Prisma.Sql {
  if (actor.kind === "agent") return Prisma.sql`t.agent_id = ${actor.id}::uuid`;
  if (userId) return Prisma.sql`t.requester_user_id = ${userId}::uuid`;
  return Prisma.sql`(t.requested_by->>'kind' = 'key' AND t.requested_by->>'id' = ${actor.id})`;
}

function requestedBy(id: string): Prisma.Sql {
  return Prisma.sql`(t.requester_user_id = ${id}::uuid OR t.requested_by->>'id' = ${id})`;
}

/**
 * Whether a text contains these words, ignoring case. ASCII words are compared by the rules of "C", which is
 * several times as quick.
 */
function contains(text: Prisma.Sql, words: string): Prisma.Sql {
  const collation = /^[\x20-\x7e]*$/.test(words) ? Prisma.sql`COLLATE "C"` : Prisma.empty;
  return Prisma.sql`strpos(lower((${text}) ${collation}), lower(${words})) > 0`;
}
