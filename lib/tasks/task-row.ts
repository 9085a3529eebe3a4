/** A task's row as SQL returns it, and as the API shows it. Sealed columns are never selected. */
import { z } from "zod";
import { actorSchema, personSchema } from "../access/access-schema.ts";
import { Prisma } from "../base/db/db.ts";
import { toPause } from "../servers/server-reads.ts";
import { eraSchema } from "../servers/server-schema.ts";
import { amountOf } from "../text/amount.ts";
import { namesIn } from "../text/facts/party.ts";
import { shorten } from "../text/labels.ts";
import { ASKS, attentionCode } from "./attention-sql.ts";
import { ATTENTION, type AttentionCode } from "./task-attention.ts";
import { gateSchema, progressSchema, type TaskSummary, taskSchema, taskStateSchema } from "./task-schema.ts";
import { isStalled } from "./task-status.ts";

/** Longer arguments (in bytes, compressed or not) are not read for a row. */
const SHORT_BYTES = 8_000;

/** The arguments of a row, null if they are long. Alias `t`. */
export const SHORT_ARGUMENTS = Prisma.sql`CASE WHEN pg_column_size(t.arguments) > ${SHORT_BYTES}
  OR octet_length(t.arguments::text) > ${SHORT_BYTES} THEN NULL ELSE t.arguments END AS "shortArguments"`;

/** The columns of a task in lists, with JOINS; aliases `t`, `s`, `w`. */
export const summaryOf = (
  organizationId: string,
) => Prisma.sql`t.id, t.state, t.status_message AS "statusMessage", t.progress, t.outcome,
  t.outcome_is_error AS "outcomeIsError", t.server_id AS "serverId", s.name AS "serverName",
  s.paused_at AS "pausedAt", s.paused_by AS "pausedBy", s.pause_reason AS "pauseReason", t.tool, t.label, t.era,
  t.requested_by AS "requestedBy", t.visibility, t.created_at AS "createdAt", t.started_at AS "startedAt",
  t.changed_at AS "changedAt", t.finished_at AS "finishedAt", t.ttl_ms AS "ttlMs", t.expires_at AS "expiresAt",
  t.poll_interval_ms AS "pollIntervalMs", w.last_checked_at AS "lastCheckedAt", w.next_check_at AS "nextCheckAt",
  (SELECT e.seen_at FROM connection c JOIN engine e ON e.id = c.watched_by
    WHERE c.organization_id = t.organization_id AND c.id = t.connection_id
      AND t.watched AND s.health_state = 'ok' AND s.paused_at IS NULL) AS "watchedUntil",
  t.cancel_requested_at AS "cancelRequestedAt", t.server_state AS "serverState", t.error, t.restart_of AS "restartOf",
  t.durable, t.adopted, t.race_id AS "raceId", t.attempt, t.attempts, t.retry_of AS "retryOf",
  t.start_after AS "startAfter", t.gate, t.gate_rule AS "gateRule", t.gate_expires_at AS "gateExpiresAt", ${ASKS} AS asks, ${attentionCode(organizationId)} AS attention,
  s.builtin AS "isOwn", ${SHORT_ARGUMENTS},
  (SELECT json_build_object('value', asked.amount, 'currency', asked.currency) FROM input_request asked
    WHERE asked.organization_id = t.organization_id AND asked.task_id = t.id AND asked.amount IS NOT NULL
    ORDER BY asked.created_at DESC LIMIT 1) AS "askedAmount",
  (SELECT json_build_object('id', u.id, 'name', u.name, 'at', k.acknowledged_at, 'note', k.note)
    FROM acknowledgement k JOIN "user" u ON u.id = k.user_id
    WHERE k.organization_id = t.organization_id AND k.task_id = t.id) AS acknowledgement`;
export const JOINS = Prisma.sql`JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
  LEFT JOIN task_watch w ON w.organization_id = t.organization_id AND w.task_id = t.id`;

export interface TaskRow {
  id: string;
  state: string;
  /** The task is working and has an open question. */
  asks: boolean;
  statusMessage: string | null;
  progress: unknown;
  outcome: string | null;
  outcomeIsError: boolean;
  serverId: string;
  serverName: string;
  pausedAt: Date | null;
  pausedBy: unknown;
  pauseReason: string | null;
  tool: string;
  label: string | null;
  era: string | null;
  requestedBy: unknown;
  visibility: "private" | "organization";
  createdAt: Date;
  startedAt: Date | null;
  changedAt: Date;
  finishedAt: Date | null;
  ttlMs: bigint | null;
  expiresAt: Date | null;
  pollIntervalMs: number | null;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  /** When an engine last watched the task's connection, with a healthy server. */
  watchedUntil: Date | null;
  cancelRequestedAt: Date | null;
  serverState: string | null;
  error: unknown;
  restartOf: string | null;
  durable: boolean;
  adopted: boolean;
  raceId: string | null;
  attempt: number;
  attempts: number;
  retryOf: string | null;
  startAfter: Date | null;
  gate: string | null;
  gateRule: unknown;
  gateExpiresAt: Date | null;
  /** A question that a program asks people. */
  isOwn: boolean;
  /** Null if the arguments are long. */
  shortArguments: unknown;
  /** The amount of its newest question that has one. */
  askedAmount: unknown;
  attention: AttentionCode | null;
  acknowledgement: unknown;
}

export const toSummary =
  (now: Date) =>
  (row: TaskRow): TaskSummary => {
    const state = taskStateSchema.parse(row.state);
    const times = checkTimes(row, row.watchedUntil);
    const args = argumentsSchema.parse(row.shortArguments) ?? {};
    return {
      id: row.id,
      state,
      statusMessage: row.statusMessage,
      progress: progressSchema.nullable().parse(row.progress),
      outcome: row.outcome,
      outcomeIsError: row.outcomeIsError,
      server: { id: row.serverId, name: row.serverName, pause: toPause(row) },
      tool: row.tool,
      label: row.label ?? (row.isOwn ? questionIn(args) : null),
      party: row.isOwn ? null : namesIn(args, row.label).party,
      amount: taskSchema.shape.amount.parse(row.askedAmount) ?? amountOf(args, ""),
      era: eraSchema.nullable().parse(row.era),
      requestedBy: actorSchema.parse(row.requestedBy),
      visibility: row.visibility,
      createdAt: row.createdAt.toISOString(),
      startedAt: iso(row.startedAt),
      updatedAt: row.changedAt.toISOString(),
      finishedAt: iso(row.finishedAt),
      ttlMs: toNumber(row.ttlMs),
      expiresAt: iso(row.expiresAt),
      pollIntervalMs: row.pollIntervalMs,
      lastCheckedAt: iso(times.lastCheckedAt),
      nextCheckAt: iso(times.nextCheckAt),
      stalled: isStalled(
        { state, changedAt: row.changedAt, startAfter: row.startAfter, asks: row.asks, gate: row.gate },
        now,
      ),
      gate: toGate(row),
      attention: row.attention && {
        code: row.attention,
        since: (row.finishedAt ?? row.changedAt).toISOString(),
      },
      acknowledgement: toAcknowledgement(row),
      cancelRequestedAt: iso(row.cancelRequestedAt),
      serverState: row.serverState,
      error: errorSchema.parse(row.error),
      restartOf: row.restartOf,
      durable: row.durable,
      adopted: row.adopted,
      raceId: row.raceId,
      attempt: row.attempt,
      attempts: row.attempts,
      retryOf: row.retryOf,
      nextAttemptAt:
        state === "queued" && row.startAfter && row.startAfter > now ? iso(row.startAfter) : null,
    };
  };

const argumentsSchema = z.record(z.string(), z.unknown()).nullable();
const TITLE_CHARACTERS = 120;

/** The first line of the question that a program asks: its tool's name would say nothing. */
function questionIn({ message, action }: Record<string, unknown>): string | null {
  const said = [message, action].find((text) => typeof text === "string" && text.trim() !== "");
  return typeof said === "string" ? shorten(said.trim().split("\n", 1)[0] ?? "", TITLE_CHARACTERS) : null;
}

function toGate({ gate, gateRule, gateExpiresAt }: TaskRow): TaskSummary["gate"] {
  if (gate === null) return null;
  return gateSchema.parse({ state: gate, rule: gateRule, expiresAt: iso(gateExpiresAt) });
}

/** The engine ends acknowledgements a moment after the task moves on; until then they do not show. */
function toAcknowledgement({ attention, acknowledgement }: TaskRow): TaskSummary["acknowledgement"] {
  if (!attention || ATTENTION[attention].severity !== "stuck") return null;
  const held = acknowledgementSchema.parse(acknowledgement);
  return held && { by: { id: held.id, name: held.name }, at: held.at.toISOString(), note: held.note };
}

const acknowledgementSchema = z
  .object({ id: z.string(), name: z.string(), at: z.coerce.date(), note: z.string().nullable() })
  .nullable();

/** A JSON-RPC error has a number for its code. */
const errorSchema = z
  .object({
    code: z.union([z.string(), z.number()]).transform(String),
    message: z.string(),
    by: personSchema.optional().catch(undefined),
    reason: z.string().optional().catch(undefined),
    revise: z.boolean().optional().catch(undefined),
  })
  .nullable()
  .catch({ code: "error", message: "The server reported an error." });

export function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

export function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

/** The times of a task's last and next check. */
export interface CheckTimes {
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
}

/**
 * Extrapolates from the written times, since polls at an even pace write nothing: checks continue at that
 * pace for as long as the connection was watched. `watchedUntil`: when an engine was last seen on the
 * connection, with a healthy server. Null: returns the written times.
 */
export function checkTimes(written: CheckTimes, watchedUntil: Date | null): CheckTimes {
  const { lastCheckedAt, nextCheckAt } = written;
  if (!lastCheckedAt || !nextCheckAt || !watchedUntil) return written;
  const paceMs = nextCheckAt.getTime() - lastCheckedAt.getTime();
  const sinceMs = watchedUntil.getTime() - nextCheckAt.getTime();
  if (paceMs <= 0 || sinceMs < 0) return written;
  const onMs = (Math.floor(sinceMs / paceMs) + 1) * paceMs;
  return {
    lastCheckedAt: new Date(lastCheckedAt.getTime() + onMs),
    nextCheckAt: new Date(nextCheckAt.getTime() + onMs),
  };
}
