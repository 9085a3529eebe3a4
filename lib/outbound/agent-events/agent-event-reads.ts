/** Reads the history as events of one agent's tasks. A cursor is a line of the history: lines are never deleted. */
import { createHash } from "node:crypto";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { EventType } from "../../history/events/event-schema.ts";
import type { AgentEventArguments, AgentEventName } from "./agent-event-schema.ts";

/** The lines that are events, and the state that each tells of. */
const LINES: Record<AgentEventName, Partial<Record<EventType, string>>> = {
  "request.ended": {
    "delivery.confirmed": "settled",
    "request.withdrawn": "withdrawn",
    "request.expired": "expired",
    "request.undeliverable": "undeliverable",
  },
  "task.ended": {
    "task.completed": "completed",
    "task.failed": "failed",
    "task.cancelled": "cancelled",
    "task.lost": "lost",
    "task.expired": "expired",
  },
  "task.input_required": {
    "request.opened": "input_required",
    "request.replaced": "input_required",
    "request.reopened": "input_required",
  },
};

/** An event as the protocol has it. */
export interface AgentEvent {
  eventId: string;
  name: AgentEventName;
  timestamp: string;
  data: { taskId: string; tool: string; state: string; inputRequestId?: string; isError?: boolean };
}

export interface Subscribed {
  agentId: string;
  name: AgentEventName;
  arguments: AgentEventArguments;
}

export interface ReadEvents {
  events: { seq: bigint; event: AgentEvent }[];
  /** All up to this line was looked at. */
  reached: bigint;
  /** There are more lines. */
  hasMore: boolean;
}

/** Most lines that one read looks at, whoever's they are. */
const LOOKED_AT = 2_000;

/** Returns the newest line of the history; 0 without one. */
export async function newestLine(tx: Tx): Promise<bigint> {
  const head = await tx.$queryRaw<{ seq: bigint }[]>`
    SELECT seq FROM event_head WHERE organization_id = ${tx.organizationId}::uuid`;
  return head[0]?.seq ?? 0n;
}

/** Returns the last line before a time; 0 without one. */
export async function lineBefore(tx: Tx, at: Date): Promise<bigint> {
  const [line] = await tx.$queryRaw<{ seq: bigint }[]>`
    SELECT seq FROM event WHERE organization_id = ${tx.organizationId}::uuid AND "at" < ${at}
    ORDER BY "at" DESC, seq DESC LIMIT 1`;
  return line?.seq ?? 0n;
}

/** Returns the next events after a line, oldest first, at most `limit`. */
export async function readAgentEvents(
  tx: Tx,
  { agentId, name, arguments: { taskId } }: Subscribed,
  after: bigint,
  limit: number,
): Promise<ReadEvents> {
  const { organizationId } = tx;
  const [looked] = await tx.$queryRaw<{ last: bigint | null; count: number }[]>`
    SELECT max(seq) AS last, count(*)::integer AS count FROM (SELECT seq FROM event
      WHERE organization_id = ${organizationId}::uuid AND seq > ${after} ORDER BY seq LIMIT ${LOOKED_AT}) lines`;
  if (!looked?.last) return { events: [], reached: after, hasMore: false };
  const states = LINES[name];
  const rows = await tx.$queryRaw<Row[]>`
    SELECT e.seq, e.at, e.type, e.task_id AS "taskId", e.input_request_id AS "inputRequestId",
      coalesce(c.name, t.tool) AS tool, t.outcome_is_error AS "isError"
    FROM event e JOIN task t ON t.organization_id = e.organization_id AND t.id = e.task_id AND t.agent_id = ${agentId}::uuid
      LEFT JOIN agent_call c ON c.organization_id = t.organization_id AND c.task_id = t.id
    WHERE e.organization_id = ${organizationId}::uuid AND e.seq > ${after} AND e.seq <= ${looked.last}
      AND e.type = ANY (${Object.keys(states)}::text[])
      ${taskId === undefined ? Prisma.empty : Prisma.sql`AND e.task_id = ${taskId}::uuid`}
    ORDER BY e.seq LIMIT ${limit + 1}`;
  const events = rows
    .slice(0, limit)
    .map((row) => ({ seq: row.seq, event: toEvent(organizationId, name, row) }));
  const isCut = rows.length > limit;
  return {
    events,
    reached: isCut ? events.at(-1)!.seq : looked.last,
    hasMore: isCut || looked.count === LOOKED_AT,
  };
}

interface Row {
  seq: bigint;
  at: Date;
  type: EventType;
  taskId: string;
  inputRequestId: string | null;
  tool: string;
  isError: boolean | null;
}

function toEvent(organizationId: string, name: AgentEventName, row: Row): AgentEvent {
  const { seq, at, type, taskId, inputRequestId, tool, isError } = row;
  const state = LINES[name][type] ?? "";
  return {
    eventId: `evt_${createHash("sha256").update(`${organizationId} ${seq}`).digest("hex").slice(0, 32)}`,
    name,
    timestamp: at.toISOString(),
    data: {
      ...{ taskId, tool, state },
      ...(inputRequestId !== null && name !== "task.ended" && { inputRequestId }),
      ...(state === "completed" && { isError: isError === true }),
    },
  };
}
