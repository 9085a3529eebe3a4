/** Scoped reads of statistics. Only the range and the servers limit the number of rows, not the history. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { NO_ENGINE_MS } from "../../tasks/task-attention.ts";
import { DECIDE_BY } from "../lists/filter.ts";
import type { CallWay } from "./agent-calls.ts";
import { beginOf, OPEN_STATES } from "./measures.ts";
import { MOST_RULES, type RuleRow, ruleFiguresOf } from "./rules.ts";
import {
  type EngineFigures,
  MOST_WAITING,
  type Overview,
  RANGE_STEPS,
  type Range,
} from "./statistics-schema.ts";
import { type FigureRow, figuresOf, type OpenRow } from "./sums.ts";

/** Returns the whole organization's statistics. Counts include tasks that the caller may not see. */
export async function readOverview(tx: Tx, range: Range, now: Date): Promise<Overview> {
  const { organizationId } = tx;
  const { stretch, stepMs, steps } = RANGE_STEPS[range];
  const to = new Date(beginOf(now, stretch).getTime() + stretch * 3600_000);
  const from = new Date(to.getTime() - steps * stepMs);
  // Causes, decisions and deliveries (measures that sort before "ended") are shown for the whole range only.
  const rows = await tx.$queryRaw<FigureRow[]>`
    SELECT CASE WHEN x.measure >= 'ended' THEN
        date_bin(${stepMs} * interval '1 ms', x.at, ${from}::timestamptz) END AS step,
      x.server_id AS "serverId", x.measure, sum(x.amount)::float8 AS amount
    FROM statistic x WHERE x.organization_id = ${organizationId}::uuid AND x.hours = ${stretch}
      AND x.at >= ${from}::timestamptz AND x.at < ${to}::timestamptz GROUP BY 1, 2, 3`;
  const open = await tx.$queryRaw<OpenRow[]>`
    SELECT t.server_id AS "serverId", t.state, count(*)::integer AS count FROM task t
    WHERE t.organization_id = ${organizationId}::uuid AND t.state IN (${Prisma.join([...OPEN_STATES])})
    GROUP BY t.server_id, t.state`;
  const servers = await tx.$queryRaw<{ id: string; name: string }[]>`
    SELECT s.id, s.name FROM server s WHERE s.organization_id = ${organizationId}::uuid
      AND s.id = ANY (${[...new Set([...rows, ...open].map((row) => row.serverId))]}::uuid[]) ORDER BY s.name, s.id`;
  const [waiting] = await tx.$queryRaw<{ count: number; oldest: Date | null }[]>`
    SELECT (SELECT count(*)::integer FROM (SELECT FROM input_request r WHERE r.organization_id = ${organizationId}::uuid
        AND r.state = 'open' LIMIT ${MOST_WAITING}) capped) AS count,
      (SELECT r.created_at FROM input_request r WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'open'
        ORDER BY r.created_at, r.id LIMIT 1) AS oldest`;
  const overdue = await tx.$queryRaw<{ rule: string; count: number }[]>`
    SELECT late.rule, count(*)::integer AS count FROM (SELECT r.approval ->> 'rule' AS rule FROM input_request r
      WHERE r.organization_id = ${organizationId}::uuid AND r.state = 'open' AND ${DECIDE_BY} <= now()
      LIMIT ${MOST_WAITING}) late GROUP BY 1`;
  // Names of earlier policies count too, without end: those of the most decisions are read, and those with something overdue.
  const rules = await tx.$queryRaw<RuleRow[]>`
    WITH sums AS (SELECT x.rule, x.stage, x.measure, sum(x.amount)::float8 AS amount FROM rule_statistic x
      WHERE x.organization_id = ${organizationId}::uuid AND x.hours = ${stretch}
        AND x.at >= ${from}::timestamptz AND x.at < ${to}::timestamptz GROUP BY 1, 2, 3)
    SELECT sums.* FROM sums WHERE sums.rule = ANY (${overdue.map(({ rule }) => rule)}::text[]) OR sums.rule IN (
      SELECT one.rule FROM sums one WHERE one.stage = '' AND one.measure LIKE 'clock:%'
      GROUP BY one.rule ORDER BY sum(one.amount) DESC, one.rule COLLATE "C" LIMIT ${MOST_RULES})`;
  return {
    range,
    from: from.toISOString(),
    to: to.toISOString(),
    stepMs,
    ...figuresOf(
      rows,
      open,
      servers,
      Array.from({ length: steps }, (_, step) => new Date(from.getTime() + step * stepMs)),
      {
        waiting: waiting?.count ?? 0,
        oldestWaitingAt: waiting?.oldest?.toISOString() ?? null,
        overdue: overdue.reduce((sum, { count }) => sum + count, 0),
      },
    ),
    rules: ruleFiguresOf(rules, overdue),
    automatic: await automaticFigures(tx, from),
    agentCalls: await agentCallFigures(tx, stretch, from, to),
    engines: await listEngines(tx),
  };
}

const MOST_AUTOMATIC = 50;

/** What automatic rules said since then, in shadow and live. What was taken back counts as no answer. */
async function automaticFigures(tx: Tx, from: Date): Promise<Overview["automatic"]> {
  return tx.$queryRaw<Overview["automatic"]>`
    SELECT d.rule, count(*) FILTER (WHERE d.state = 'answered')::integer AS answered,
      count(*) FILTER (WHERE d.agreed)::integer AS agreed, count(*) FILTER (WHERE NOT d.agreed)::integer AS disagreed
    FROM automatic_decision d WHERE d.organization_id = ${tx.organizationId}::uuid AND d.judged_at >= ${from}::timestamptz
    GROUP BY d.rule ORDER BY count(*) DESC, d.rule LIMIT ${MOST_AUTOMATIC}`;
}

/** How calls of agents were decided, of the same stretches as the other figures. */
async function agentCallFigures(
  tx: Tx,
  stretch: number,
  from: Date,
  to: Date,
): Promise<Overview["agentCalls"]> {
  const rows = await tx.$queryRaw<{ way: string; amount: number }[]>`
    SELECT x.way, sum(x.amount)::float8 AS amount FROM agent_call_statistic x
    WHERE x.organization_id = ${tx.organizationId}::uuid AND x.hours = ${stretch}
      AND x.at >= ${from}::timestamptz AND x.at < ${to}::timestamptz GROUP BY 1`;
  const of = (way: CallWay) => rows.find((row) => row.way === way)?.amount ?? 0;
  return {
    byRule: of("rule"),
    byStandingApproval: of("standing_approval"),
    byPerson: of("person"),
    refused: of("refused"),
  };
}

/** Lists the installation's engines. An organization sees only its own connections among the leases. */
async function listEngines(tx: Tx): Promise<EngineFigures[]> {
  const rows = await tx.$queryRaw<
    { id: string; startedAt: Date; seenAt: Date; leases: number; latenessMs: number | null }[]
  >`SELECT left(e.id::text, 8) AS id, e.started_at AS "startedAt", e.seen_at AS "seenAt", e.lateness_ms AS "latenessMs",
      (SELECT count(*)::integer FROM connection c WHERE c.organization_id = ${tx.organizationId}::uuid
        AND c.watched_by = e.id) AS leases
    FROM engine e WHERE e.seen_at > now() - ${NO_ENGINE_MS} * interval '1 ms' ORDER BY e.started_at, e.id`;
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    seenAt: row.seenAt.toISOString(),
  }));
}
