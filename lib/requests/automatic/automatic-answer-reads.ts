/** What rules have answered and would have, as admins see it. */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { Page } from "../../base/page.ts";
import { authorsSchema, fingerprintOf } from "../../policy/automatic/authors.ts";
import { calendarSchema } from "../../policy/calendar/calendar-schema.ts";
import { readPolicyWithPeople } from "../../policy/policy-reads.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { answerOf, DECIDED_FIELD, wordsOf } from "../request-row.ts";
import type {
  AutomaticDecision,
  AutomaticDecisionsQuery,
  AutomaticRuleState,
  AutomaticState,
} from "./automatic-answer-schema.ts";

/** Whether automatic answers are stopped, and the record of each rule of the policy in force. */
export async function readAutomatic(tx: Tx): Promise<AutomaticState> {
  const { version, policy, people } = await readPolicyWithPeople(tx);
  const [now] = await tx.$queryRaw<
    { now: Date; calendar: unknown; authors: unknown; stoppedAt: Date | null; stoppedBy: unknown }[]
  >`
    SELECT now() AS now, s.stopped_at AS "stoppedAt", s.stopped_by AS "stoppedBy",
      (SELECT w.calendar FROM working_calendar w WHERE w.organization_id = o.id) AS calendar,
      (SELECT v.automatic_authors FROM policy_version v WHERE v.organization_id = o.id AND v.version = ${version}) AS authors
    FROM organization o LEFT JOIN automatic_switch s ON s.organization_id = o.id WHERE o.id = ${tx.organizationId}::uuid`;
  const { stoppedAt, stoppedBy } = now!;
  const day = dayIn(calendarSchema.nullable().parse(now!.calendar)?.zone ?? "UTC", now!.now);
  const authors = authorsSchema.parse(now!.authors ?? {});
  const rules = (policy.automatic ?? []).map((rule) => ({
    ...rule,
    fingerprint: fingerprintOf(rule, { policy, people }),
  }));
  const counts = await countDecisions(
    tx,
    rules.map(({ name }) => name),
    rules.map(({ fingerprint }) => fingerprint),
    day,
  );
  return {
    stopped: stoppedAt && { at: stoppedAt.toISOString(), by: actorSchema.parse(stoppedBy) },
    day,
    rules: rules.map(({ name, mode, dailyCap, fingerprint }): AutomaticRuleState => {
      const total = (key: keyof Counts, of: "name" | "fingerprint") =>
        counts
          .filter((row) => (of === "name" ? row.rule === name : row.fingerprint === fingerprint))
          .reduce((sum, row) => sum + row[key], 0);
      return {
        ...{ name, mode, dailyCap },
        since: Object.hasOwn(authors, name) ? (authors[name]?.since ?? null) : null,
        // Of exactly this rule, whatever its name was.
        shadowed: total("shadowed", "fingerprint"),
        agreed: total("agreed", "fingerprint"),
        disagreed: total("disagreed", "fingerprint"),
        undecided: total("undecided", "fingerprint"),
        failed: total("failed", "fingerprint"),
        answeredToday: total("answeredToday", "name"),
        answered: total("answered", "name"),
        undone: total("undone", "name"),
        kept: {
          sample: total("sample", "name"),
          cap: total("cap", "name"),
          stopped: total("stopped", "name"),
        },
      };
    }),
  };
}

type Counts = Record<
  | "shadowed"
  | "agreed"
  | "disagreed"
  | "undecided"
  | "failed"
  | "answeredToday"
  | "answered"
  | "undone"
  | "sample"
  | "cap"
  | "stopped",
  number
>;

function countDecisions(
  tx: Tx,
  names: string[],
  fingerprints: string[],
  day: string,
): Promise<(Counts & { rule: string; fingerprint: string })[]> {
  const count = (which: Prisma.Sql) => Prisma.sql`count(*) FILTER (WHERE ${which})::integer`;
  const kept = (reason: string) => count(Prisma.sql`d.state = 'kept' AND d.reason = ${reason}`);
  return tx.$queryRaw`
    SELECT d.rule, d.fingerprint, ${count(Prisma.sql`d.state IN ('shadow', 'kept')`)} AS shadowed,
      ${count(Prisma.sql`d.agreed`)} AS agreed, ${count(Prisma.sql`NOT d.agreed`)} AS disagreed,
      ${count(Prisma.sql`d.state IN ('shadow', 'kept') AND d.agreed IS NULL AND EXISTS (SELECT FROM input_request r
        WHERE r.organization_id = d.organization_id AND r.id = d.input_request_id AND r.state = 'open')`)} AS undecided,
      ${count(Prisma.sql`d.state = 'failed'`)} AS failed, ${count(Prisma.sql`d.day = ${day}::date`)} AS "answeredToday",
      ${count(Prisma.sql`d.answer_id IS NOT NULL`)} AS answered, ${count(Prisma.sql`d.state = 'undone'`)} AS undone,
      ${kept("sample")} AS sample, ${kept("cap")} AS cap, ${kept("stopped")} AS stopped
    FROM automatic_decision d WHERE d.organization_id = ${tx.organizationId}::uuid AND d.state <> 'waiting'
      AND (d.rule = ANY (${names}) OR d.fingerprint = ANY (${fingerprints}))
    GROUP BY d.rule, d.fingerprint`;
}

/** What rules said of requests of tasks that the principal may see, newest request first. */
export async function listAutomaticDecisions(
  tx: Tx,
  principal: Principal,
  { rule, outcome, cursor, limit }: AutomaticDecisionsQuery,
): Promise<Page<AutomaticDecision>> {
  const after = readPosition(cursor);
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<DecisionRow[]>`
    SELECT r.id, r.task_id AS "taskId", t.label, t.server_id AS "serverId", s.name AS "serverName", t.tool, d.created_at AS "createdAt",
      d.state, d.reason, d.rule, d.version, d.action AS "ruleAction", d.agreed,
      (SELECT its -> 'answer' -> 'content' FROM policy_version v, jsonb_array_elements(v.policy -> 'automatic') its
        WHERE v.organization_id = d.organization_id AND v.version = d.version AND its ->> 'name' = d.rule) AS "ruleContent",
      r.origin, t.recipe_version IS NOT NULL AS "isRecipes", t.gate, a.id AS "answerId", a.action, a.content, a.comment, a.revise,
      ${DECIDED_FIELD} AS "decidedField", a.answered_by AS "answeredBy", a.created_at AS "answeredAt"
    FROM automatic_decision d
      JOIN input_request r ON r.organization_id = d.organization_id AND r.id = d.input_request_id
      JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
      LEFT JOIN answer a ON a.organization_id = d.organization_id AND a.id = d.people_answer_id
    WHERE d.organization_id = ${tx.organizationId}::uuid AND d.state <> 'waiting' AND ${visibleTask(principal)}
      ${rule === undefined ? Prisma.empty : Prisma.sql`AND d.rule = ${rule}`}
      ${outcome === undefined ? Prisma.empty : Prisma.sql`AND ${OUTCOME[outcome]}`}
      ${after === null ? Prisma.empty : Prisma.sql`AND d.input_request_id < ${after.id}::uuid`}
    ORDER BY d.input_request_id DESC LIMIT ${limit + 1}`;
  return toPage(rows, limit, ({ id, createdAt }) => ({ id, createdAt }), toDecision);
}

const OUTCOME: Record<NonNullable<AutomaticDecisionsQuery["outcome"]>, Prisma.Sql> = {
  agreed: Prisma.sql`d.agreed`,
  disagreed: Prisma.sql`NOT d.agreed`,
  answered: Prisma.sql`d.answer_id IS NOT NULL`,
  failed: Prisma.sql`d.state = 'failed'`,
};

interface DecisionRow {
  id: string;
  taskId: string;
  label: string | null;
  serverId: string;
  serverName: string;
  tool: string;
  createdAt: Date;
  state: AutomaticDecision["state"];
  reason: string | null;
  rule: string;
  version: number;
  ruleAction: "accept" | "decline";
  ruleContent: unknown;
  agreed: boolean | null;
  origin: "server" | "intray";
  isRecipes: boolean;
  gate: string | null;
  action: string | null;
  content: unknown;
  comment: string | null;
  revise: boolean | null;
  decidedField: unknown;
  answeredBy: unknown;
  answeredAt: Date | null;
}

const contentSchema = z.record(z.string(), z.unknown()).nullable();

function toDecision(row: DecisionRow): AutomaticDecision {
  const { id, taskId, label, serverId, serverName, tool, state, reason, rule, version, agreed, answeredAt } =
    row;
  const content = row.ruleAction === "accept" ? (contentSchema.parse(row.ruleContent ?? null) ?? {}) : null;
  return {
    ...{ id, tool, state, reason, agreed },
    task: { id: taskId, label },
    server: { id: serverId, name: serverName },
    at: row.createdAt.toISOString(),
    rule: { name: rule, version },
    said: { action: row.ruleAction, content, words: wordsOf(row.ruleAction, content, row.decidedField, row) },
    people: answeredAt && answerOf({ ...row, answeredAt }),
  };
}

/** The date in a time zone, as `2026-12-25`: the day by which daily caps count. */
export function dayIn(zone: string, now: Date): string {
  return now.toLocaleDateString("sv-SE", { timeZone: zone });
}
