/** Writes statistics: sums of history events, and samples of open tasks. Called by the engine's jobs. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { type FollowedEvent, takeEvents } from "../../history/events/follow.ts";
import { readCalendar } from "../../policy/calendar/calendar-reads.ts";
import { DEMO_KEY } from "../../tasks/task-status.ts";
import { type AgentsTask, type CallWay, HUMAN_TOOLS, maySay, wayOf } from "./agent-calls.ts";
import { beginOf, OPEN_STATES, STRETCHES } from "./measures.ts";
import { ruleCountsOf } from "./rules.ts";
import { type Context, counts, countsOf, decisionOf } from "./tally.ts";

/** Name of statistics as a follower of the history. */
export const FOLLOWER = "statistics";

/**
 * Counts the next history events, at most `limit`, in the transaction that advances the follower's position,
 * so that each event counts once. Returns false if no more remain.
 */
export async function countHistory(tx: Tx, limit: number): Promise<boolean> {
  const events = await takeEvents(tx, { follower: FOLLOWER, begins: "first" }, limit);
  const counting = events.filter((event) => counts(event.type));
  const contexts = await contextsOf(tx, counting);
  const amounts = new Map<string, Amount>();
  for (const event of counting) {
    const context = contexts.get(event.seq);
    // The task was deleted meanwhile, so its server is unknown.
    if (!context) continue;
    for (const { at, measure, amount } of countsOf(event, context))
      for (const hours of STRETCHES) {
        const row = { hours, at: beginOf(at, hours), serverId: context.serverId, measure, amount };
        const key = `${hours} ${row.at.getTime()} ${row.serverId} ${measure}`;
        amounts.set(key, { ...row, amount: amount + (amounts.get(key)?.amount ?? 0) });
      }
  }
  await add(tx, [...amounts.values()]);
  await countRules(tx, counting, contexts);
  await countAgentCalls(tx, events);
  return events.length === limit;
}

/** Counts what was decided by rules of the policy, and what was undone of it. Working time is that of the calendar of now. */
async function countRules(tx: Tx, events: FollowedEvent[], contexts: Map<bigint, Context>): Promise<void> {
  const decisions = events.flatMap((event) => decisionOf(event, contexts.get(event.seq)) ?? []);
  if (decisions.length === 0) return;
  const { calendar } = await readCalendar(tx);
  const amounts = new Map<string, RuleAmount>();
  for (const { amount, ...decision } of decisions)
    for (const count of ruleCountsOf(decision, calendar))
      for (const hours of STRETCHES) {
        const row = { hours, at: beginOf(decision.at, hours), ...count };
        const key = JSON.stringify(row);
        amounts.set(key, { ...row, amount: amount + (amounts.get(key)?.amount ?? 0) });
      }
  const rows = [...amounts.values()];
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO rule_statistic AS s (organization_id, hours, at, rule, stage, measure, amount)
    SELECT ${tx.organizationId}::uuid, n.* FROM unnest(${rows.map((row) => row.hours)}::smallint[],
      ${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.rule)}::text[],
      ${rows.map((row) => row.stage)}::text[], ${rows.map((row) => row.measure)}::text[],
      ${rows.map((row) => row.amount)}::bigint[]) n
    ON CONFLICT (organization_id, hours, at, rule, stage, measure) DO UPDATE SET amount = s.amount + excluded.amount`;
}

/** Counts how calls of agents were decided. A call that a hook's rule decided has no task. */
async function countAgentCalls(tx: Tx, events: FollowedEvent[]): Promise<void> {
  const said = events.filter(({ type }) => maySay(type));
  const tasks = await agentsTasks(
    tx,
    said.flatMap(({ taskId }) => taskId ?? []),
  );
  const amounts = new Map<string, { hours: number; at: Date; way: CallWay; amount: number }>();
  for (const event of said) {
    const way = wayOf(event, event.taskId === null ? undefined : tasks.get(event.taskId));
    if (way === null) continue;
    for (const hours of STRETCHES) {
      const row = { hours, at: beginOf(event.at, hours), way };
      const key = JSON.stringify(row);
      amounts.set(key, { ...row, amount: 1 + (amounts.get(key)?.amount ?? 0) });
    }
  }
  const rows = [...amounts.values()];
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO agent_call_statistic AS s (organization_id, hours, at, way, amount)
    SELECT ${tx.organizationId}::uuid, n.* FROM unnest(${rows.map((row) => row.hours)}::smallint[],
      ${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.way)}::text[],
      ${rows.map((row) => row.amount)}::bigint[]) n
    ON CONFLICT (organization_id, hours, at, way) DO UPDATE SET amount = s.amount + excluded.amount`;
}

/** Those of the tasks that a call of an agent made, or a hook's question about one. */
async function agentsTasks(tx: Tx, ids: string[]): Promise<Map<string, AgentsTask>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.$queryRaw<(AgentsTask & { id: string })[]>`
    SELECT t.id, t.gate, t.standing_approval_id IS NOT NULL AS "isCovered", t.builtin AS "isHooks",
      EXISTS (SELECT FROM answer a JOIN input_request r ON r.organization_id = a.organization_id AND r.id = a.input_request_id
        WHERE r.organization_id = t.organization_id AND r.task_id = t.id AND a.withdrawn_at IS NULL
          AND a.action = 'accept') AS "isAccepted"
    FROM task t LEFT JOIN agent_call c ON c.organization_id = t.organization_id AND c.task_id = t.id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${ids}::uuid[]) AND t.agent_id IS NOT NULL
      AND (NOT t.builtin OR c.name <> ALL (${[...HUMAN_TOOLS]}::text[]))`;
  return new Map(rows.map(({ id, ...task }) => [id, task]));
}

interface RuleAmount {
  hours: number;
  at: Date;
  rule: string;
  stage: string;
  measure: string;
  amount: number;
}

interface Amount {
  hours: number;
  at: Date;
  serverId: string;
  measure: string;
  amount: number;
}

async function add(tx: Tx, rows: Amount[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO statistic AS s (organization_id, hours, at, server_id, measure, amount)
    SELECT ${tx.organizationId}::uuid, n.* FROM unnest(${rows.map((row) => row.hours)}::smallint[],
      ${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.serverId)}::uuid[],
      ${rows.map((row) => row.measure)}::text[], ${rows.map((row) => row.amount)}::bigint[]) n
    ON CONFLICT (organization_id, hours, at, server_id, measure) DO UPDATE SET amount = s.amount + excluded.amount`;
}

/** Returns the contexts by sequence number, from earlier events, which do not change. */
async function contextsOf(tx: Tx, events: FollowedEvent[]): Promise<Map<bigint, Context>> {
  if (events.length === 0) return new Map();
  const rows = await tx.$queryRaw<ContextRow[]>`
    SELECT e.seq, t.server_id AS "serverId", starts_with(coalesce(t.idempotency_key, ''), ${DEMO_KEY}) AS "isDemo", ${openedBefore("e")} AS "openedAt", (
        SELECT o.data->>'rung' FROM event o WHERE ${ofSameRequest("o", "e")} AND o.type = 'delivery.sending'
        ORDER BY o.seq DESC LIMIT 1) AS rung,
      undone.seq AS "undoneSeq", undone.at AS "undoneAt", undone."openedAt" AS "undoneOpenedAt"
    FROM event e JOIN task t ON t.organization_id = e.organization_id AND t.id = e.task_id
      LEFT JOIN LATERAL (SELECT u.seq, u.at, CASE WHEN u.actor ->> 'kind' <> 'rule' THEN ${openedBefore("u")} END AS "openedAt" FROM event u
        WHERE e.type = 'answer.undone' AND ${ofSameRequest("u", "e")} AND u.type = 'answer.recorded'
        ORDER BY u.seq DESC LIMIT 1) undone ON true
    WHERE e.organization_id = ${tx.organizationId}::uuid AND e.seq = ANY(${events.map(({ seq }) => seq)}::bigint[])`;
  const undone = rows.flatMap(({ undoneSeq }) => undoneSeq ?? []);
  const lines =
    undone.length === 0
      ? []
      : await tx.event.findMany({
          where: { organizationId: tx.organizationId, seq: { in: undone } },
          select: { seq: true, data: true },
        });
  const dataOf = new Map(lines.map(({ seq, data }) => [seq, data]));
  return new Map(
    rows.map(({ seq, undoneSeq, undoneAt, undoneOpenedAt, ...row }) => [
      seq,
      {
        ...row,
        undone:
          undoneSeq !== null && undoneAt && undoneOpenedAt
            ? { at: undoneAt, openedAt: undoneOpenedAt, data: dataOf.get(undoneSeq) }
            : null,
      },
    ]),
  );
}

interface ContextRow {
  seq: bigint;
  serverId: string;
  isDemo: boolean;
  openedAt: Date | null;
  rung: string | null;
  undoneSeq: bigint | null;
  undoneAt: Date | null;
  undoneOpenedAt: Date | null;
}

/** SQL condition: an earlier event of the same question. */
function ofSameRequest(line: string, later: string): Prisma.Sql {
  return Prisma.raw(`${line}.organization_id = ${later}.organization_id
    AND ${line}.input_request_id = ${later}.input_request_id AND ${line}.seq < ${later}.seq`);
}

/** SQL for the last opening of an event's question. */
function openedBefore(line: string): Prisma.Sql {
  return Prisma.sql`(SELECT max(o.at) FROM event o WHERE ${ofSameRequest("o", line)}
    AND o.type IN ('request.opened', 'request.reopened'))`;
}

/**
 * Counts every server's open tasks, once per `everyMs` for all callers, and deletes statistics older than
 * `keep` (in days per stretch length).
 */
export async function sampleOpenTasks(
  tx: Tx,
  everyMs: number,
  keep: Record<(typeof STRETCHES)[number], number>,
): Promise<boolean> {
  const { organizationId } = tx;
  const [slot] = await tx.$queryRaw<{ at: Date }[]>`
    INSERT INTO statistic_sample AS s (organization_id, sampled_at)
    VALUES (${organizationId}::uuid, date_bin(${everyMs} * interval '1 ms', now(), 'epoch'))
    ON CONFLICT (organization_id) DO UPDATE SET sampled_at = excluded.sampled_at WHERE s.sampled_at < excluded.sampled_at
    RETURNING sampled_at AS at`;
  if (!slot) return false;
  const open = await tx.$queryRaw<{ serverId: string; measure: string; amount: number }[]>`
    SELECT t.server_id AS "serverId", 'open:' || t.state AS measure, count(*)::integer AS amount FROM task t
      WHERE t.organization_id = ${organizationId}::uuid AND t.state IN (${Prisma.join([...OPEN_STATES])})
      GROUP BY t.server_id, t.state
    UNION ALL SELECT s.id, 'samples', 1 FROM server s
      WHERE s.organization_id = ${organizationId}::uuid AND s.removed_at IS NULL`;
  const rows = STRETCHES.flatMap((hours) =>
    open.map((row) => ({ ...row, hours, at: beginOf(slot.at, hours) })),
  );
  await add(tx, rows);
  for (const table of [Prisma.sql`statistic`, Prisma.sql`rule_statistic`, Prisma.sql`agent_call_statistic`])
    for (const hours of STRETCHES)
      await tx.$executeRaw`DELETE FROM ${table} WHERE organization_id = ${organizationId}::uuid AND hours = ${hours}
        AND at < now() - ${keep[hours]} * interval '1 day'`;
  return true;
}
