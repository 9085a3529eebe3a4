/**
 * Writes to timers of requests, and what they write to the request. unassign.ts (lib/people/members) ends pauses too. The caller holds
 * the locks of task and request; the move after a change of the calendar takes those of requests alone, in their order. What leaves the
 * state `open` loses its timers by a trigger.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { z } from "zod";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { type Calendar, calendarSchema } from "../../policy/calendar/calendar-schema.ts";
import { putOff, workingTimeBetween } from "../../policy/calendar/working-time.ts";
import { type Approval, type ApprovalStage, approvalSchema, dueAtOf } from "../../policy/judge.ts";
import { AFTER_UNDO_MS, PAUSED_AT_MOST_MS } from "../request-status.ts";
import { dueOf, type TimerKind, timersOf } from "./schedule.ts";

/**
 * Latest time of a paused reminder: the first then, the others at their usual distance. Nobody knows whether the requester ever
 * replies. `due`: when it would come; `reminds`: condition on those of the request that are paused with it.
 */
const atTheLatest = (due: Prisma.Sql, reminds: Prisma.Sql) =>
  Prisma.sql`greatest(${due}, now() + ${PAUSED_AT_MOST_MS} * interval '1 ms' + (${due} - min(${due}) FILTER (WHERE ${reminds}) OVER ()))`;

/**
 * Writes the timers of a request that was asked, or of its stage that opened. Those that are there already, or have fired, stay
 * as they are. Reminders of a request that waits for its requester are paused from the start.
 */
export async function armTimers(tx: Tx, inputRequestId: string, approval: Approval): Promise<void> {
  const timers = timersOf(approval);
  if (timers.length === 0 && approval.due.length === 0) return;
  const calendar = await lockCalendar(tx);
  if (timers.length > 0)
    await tx.$executeRaw`INSERT INTO request_timer (organization_id, input_request_id, kind, stage, after, starts_at, due_at, paused_at)
      SELECT ${tx.organizationId}::uuid, ${inputRequestId}::uuid, given.kind, given.stage, given.after, given.starts_at,
        CASE WHEN its.pauses THEN ${atTheLatest(Prisma.sql`given.due_at`, Prisma.sql`its.pauses`)} ELSE given.due_at END,
        CASE WHEN its.pauses THEN now() END
      FROM unnest(
        ${timers.map(({ kind }) => kind)}::text[], ${timers.map(({ stage }) => stage)}::smallint[],
        ${timers.map(({ after }) => after)}::text[], ${timers.map(({ from }) => from)}::timestamptz[],
        ${timers.map((timer) => dueOf(calendar, timer, approval).toISOString())}::timestamptz[])
          AS given (kind, stage, after, starts_at, due_at)
        CROSS JOIN LATERAL (SELECT given.kind = 'remind' AND EXISTS (SELECT FROM input_request r
          WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND r.needs_info IS NOT NULL) AS pauses) its
      ON CONFLICT DO NOTHING`;
  await setDue(tx, inputRequestId, approval, calendar);
}

/**
 * Leaves people time after an undo: what was decided in time, and taken back to be corrected, is not over at once. Once alone:
 * who decides and undoes again and again puts no end off.
 */
export async function putOffExpiry(
  tx: Tx,
  inputRequestId: string,
  { expire, putOffTo }: Approval,
): Promise<void> {
  if (!expire || putOffTo !== null) return;
  const earliest = Prisma.sql`now() + ${AFTER_UNDO_MS} * interval '1 ms'`;
  const [put] = await tx.$queryRaw<{ to: Date }[]>`UPDATE request_timer SET due_at = ${earliest}
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND kind = 'expire'
      AND fired_at IS NULL AND due_at < ${earliest} RETURNING due_at AS "to"`;
  if (!put) return;
  await tx.$executeRaw`UPDATE input_request SET approval = jsonb_set(approval, '{putOffTo}', to_jsonb(${put.to.toISOString()}::text))
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid`;
}

/** Ends the timers of a stage that is open no more, or all, whose question is another one now. */
export async function endTimers(tx: Tx, inputRequestId: string, which: "stage" | "all"): Promise<void> {
  const these = which === "all" ? Prisma.empty : Prisma.sql`AND stage IS NOT NULL`;
  await tx.$executeRaw`DELETE FROM request_timer WHERE organization_id = ${tx.organizationId}::uuid
    AND input_request_id = ${inputRequestId}::uuid AND fired_at IS NULL ${these}`;
}

/** Pauses the reminders of a request that waits for its requester. Everything else goes on. */
export async function pauseReminders(tx: Tx, inputRequestId: string): Promise<void> {
  await tx.$executeRaw`UPDATE request_timer t SET paused_at = now(), due_at = its.due_at
    FROM (SELECT w.id, ${atTheLatest(Prisma.sql`w.due_at`, Prisma.sql`true`)} AS due_at FROM request_timer w
      WHERE w.organization_id = ${tx.organizationId}::uuid AND w.input_request_id = ${inputRequestId}::uuid AND w.kind = 'remind'
        AND w.fired_at IS NULL AND w.paused_at IS NULL) its
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = its.id`;
}

/** Has the reminders that were paused go on: each is due later by the working time that passed meanwhile. */
export async function resumeReminders(tx: Tx, inputRequestId: string): Promise<void> {
  const paused = await tx.$queryRaw<
    { id: string; after: string; from: Date; pausedAt: Date; pausedMs: bigint; now: Date }[]
  >`SELECT id, after, starts_at AS "from", paused_at AS "pausedAt", paused_ms AS "pausedMs", now() AS now
    FROM request_timer WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid
      AND fired_at IS NULL AND paused_at IS NOT NULL`;
  if (paused.length === 0) return;
  const calendar = await lockCalendar(tx);
  const moved = paused.map(({ id, after, from, pausedAt, pausedMs, now }) => {
    const ms = Number(pausedMs) + workingTimeBetween(calendar, pausedAt, now, after);
    return { id, ms, dueAt: putOff(calendar, from, after, ms).toISOString() };
  });
  await tx.$executeRaw`UPDATE request_timer t SET paused_at = NULL, paused_ms = given.ms, due_at = given.due_at
    FROM unnest(${moved.map(({ id }) => id)}::uuid[], ${moved.map(({ ms }) => ms)}::bigint[],
      ${moved.map(({ dueAt }) => dueAt)}::timestamptz[]) AS given (id, ms, due_at)
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = given.id`;
}

/**
 * Returns the calendar, which nobody changes until the transaction ends: a change that comes later finds the timers that are
 * written by this one.
 */
async function lockCalendar(tx: Tx): Promise<Calendar | null> {
  const read = () => tx.$queryRaw<{ calendar: unknown }[]>`
    SELECT calendar FROM working_calendar WHERE organization_id = ${tx.organizationId}::uuid FOR SHARE`;
  let [row] = await read();
  if (!row) {
    await tx.$executeRaw`INSERT INTO working_calendar (organization_id) VALUES (${tx.organizationId}::uuid)
      ON CONFLICT (organization_id) DO NOTHING`;
    [row] = await read();
  }
  if (!row) throw new Error("the insert of a working calendar returned no row");
  return calendarSchema.nullable().parse(row.calendar);
}

async function setDue(
  tx: Tx,
  inputRequestId: string,
  approval: Times,
  calendar: Calendar | null,
): Promise<boolean> {
  const dueAt = dueAtOf(approval, calendar);
  if (dueAt === null || dueAt === approval.dueAt) return false;
  await tx.$executeRaw`UPDATE input_request SET approval = jsonb_set(approval, '{dueAt}', to_jsonb(${dueAt}::text))
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid`;
  return true;
}

export interface DueTimer {
  id: string;
  inputRequestId: string;
  taskId: string;
}

/** The timers whose time has come, the longest due first. */
export async function dueTimers(tx: Tx, limit: number): Promise<DueTimer[]> {
  return tx.$queryRaw<DueTimer[]>`SELECT t.id, t.input_request_id AS "inputRequestId", r.task_id AS "taskId"
    FROM request_timer t JOIN input_request r ON r.organization_id = t.organization_id AND r.id = t.input_request_id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.fired_at IS NULL AND t.due_at <= now()
    ORDER BY t.due_at, t.id LIMIT ${limit}`;
}

/** A timer that this transaction has fired, and its request. */
export interface Fired {
  kind: TimerKind;
  after: string;
  at: string;
  approval: Approval;
}

/**
 * Fires a timer, if it is due and its stage is open: of several engines one. Null: another one has, it was moved, or the matter
 * is settled.
 */
export async function claimTimer(tx: Tx, timer: DueTimer): Promise<Fired | null> {
  const [row] = await tx.$queryRaw<{ approval: unknown; waits: boolean }[]>`
    SELECT approval, needs_info IS NOT NULL AS waits FROM input_request
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${timer.inputRequestId}::uuid FOR NO KEY UPDATE`;
  // The person who was asked for information has left meanwhile (members/unassign.ts), so this timer may be due later.
  if (row && !row.waits) await resumeReminders(tx, timer.inputRequestId);
  const [fired] = await tx.$queryRaw<{ kind: TimerKind; after: string; at: Date }[]>`
    UPDATE request_timer t SET fired_at = now() FROM input_request r
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${timer.id}::uuid AND t.fired_at IS NULL AND t.due_at <= now()
      AND r.organization_id = t.organization_id AND r.id = t.input_request_id AND r.state = 'open'
      AND (t.stage IS NULL OR t.stage = (r.approval -> 'open' ->> 'stage')::smallint)
    RETURNING t.kind, t.after, t.fired_at AS at`;
  if (!fired) {
    // A process of an earlier version has opened another stage: the timers of the earlier stage are over.
    await tx.$executeRaw`DELETE FROM request_timer WHERE organization_id = ${tx.organizationId}::uuid AND id = ${timer.id}::uuid
      AND fired_at IS NULL AND due_at <= now()`;
    return null;
  }
  return { ...fired, at: fired.at.toISOString(), approval: approvalSchema.parse(row?.approval) };
}

/** Notes that those whose vote is missing were reminded, and who they are. */
export async function noteReminded(
  tx: Tx,
  inputRequestId: string,
  approval: Approval,
  reminded: { at: string; of: string[] },
): Promise<void> {
  const { open } = approval;
  await store(tx, inputRequestId, {
    ...approval,
    open: { ...open, reminded: true },
    stages: approval.stages.map((stage, at) =>
      at === open.stage ? { ...stage, reminded: [...stage.reminded, reminded] } : stage,
    ),
  });
}

/** Adds people, roles and groups to the stage that is open. */
export async function addApprovers(
  tx: Tx,
  inputRequestId: string,
  approval: Approval,
  added: Pick<ApprovalStage, "roles" | "people" | "groups">,
  escalated: { at: string; to: string[] },
): Promise<void> {
  const { open } = approval;
  const current = approval.stages[open.stage]!;
  const roles = [...current.roles, ...added.roles];
  const people = [...current.people, ...added.people];
  const groups = [...current.groups, ...added.groups];
  await store(tx, inputRequestId, {
    ...approval,
    open: { ...open, roles, people, groups: groups.map(({ id }) => id) },
    stages: approval.stages.map((stage, at) =>
      at === open.stage
        ? { ...stage, roles, people, groups, escalated: [...stage.escalated, escalated] }
        : stage,
    ),
  });
}

/** Notes that the request's time is over. It stays open, and nobody is reminded any more. */
export async function noteLapse(
  tx: Tx,
  inputRequestId: string,
  approval: Approval,
  at: string,
): Promise<void> {
  await store(tx, inputRequestId, { ...approval, lapsedAt: at });
  await endTimers(tx, inputRequestId, "all");
}

async function store(tx: Tx, inputRequestId: string, approval: Approval): Promise<void> {
  await tx.$executeRaw`UPDATE input_request SET approval = ${JSON.stringify(storable(approval))}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid AND state = 'open'`;
}

/** Open requests whose times are computed again per transaction, and timers in one turn of the event loop. */
const MOVED_TOGETHER = 200;
const COMPUTED_AT_ONCE = 100;

/** The times of an approval. The rest of it may be long. */
const timesSchema = approvalSchema.pick({ due: true, askedAt: true, dueAt: true, putOffTo: true });
type Times = z.infer<typeof timesSchema>;

/**
 * Computes the times of open requests again by the calendar in force, for one batch after the request `after`. Returns the last
 * request of the batch, for the next one, and those whose times are other ones now; null: none are left.
 */
export async function moveTimers(
  tx: Tx,
  after: string | null,
): Promise<{ last: string; moved: string[] } | null> {
  const rows = await tx.$queryRaw<
    { id: string; approval: unknown }[]
  >`SELECT r.id, jsonb_build_object('due', coalesce(r.approval -> 'due', '[]'), 'askedAt', r.approval -> 'askedAt',
      'dueAt', r.approval -> 'dueAt', 'putOffTo', r.approval -> 'putOffTo') AS approval FROM input_request r
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.state = 'open' AND r.approval IS NOT NULL
      AND (${after}::uuid IS NULL OR r.id > ${after}::uuid)
    ORDER BY r.id LIMIT ${MOVED_TOGETHER} FOR NO KEY UPDATE OF r`;
  const last = rows.at(-1);
  if (!last) return null;
  const calendar = await lockCalendar(tx);
  const approvals = new Map(rows.map(({ id, approval }) => [id, timesSchema.parse(approval)]));
  const timers = await tx.$queryRaw<
    { id: string; inputRequestId: string; kind: TimerKind; after: string; from: Date; pausedMs: bigint }[]
  >`SELECT id, input_request_id AS "inputRequestId", kind, after, starts_at AS "from", paused_ms AS "pausedMs"
    FROM request_timer WHERE organization_id = ${tx.organizationId}::uuid AND fired_at IS NULL AND paused_at IS NULL
      AND input_request_id = ANY (${rows.map(({ id }) => id)}::uuid[])`;
  const dueAt: string[] = [];
  for (const [at, { inputRequestId, from, pausedMs, ...timer }] of timers.entries()) {
    if (at % COMPUTED_AT_ONCE === 0) await otherWork();
    const running = { ...timer, from: from.toISOString(), pausedMs: Number(pausedMs) };
    dueAt.push(dueOf(calendar, running, approvals.get(inputRequestId)!).toISOString());
  }
  const changed = await tx.$queryRaw<
    { inputRequestId: string }[]
  >`UPDATE request_timer t SET due_at = given.due_at
    FROM unnest(${timers.map(({ id }) => id)}::uuid[],
      ${dueAt}::timestamptz[]) AS given (id, due_at)
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = given.id AND t.fired_at IS NULL AND t.due_at <> given.due_at
    RETURNING t.input_request_id AS "inputRequestId"`;
  const moved = new Set(changed.map(({ inputRequestId }) => inputRequestId));
  for (const [id, approval] of approvals) {
    // Where no rule can be applied, each of a hundred rules has a due time.
    await otherWork();
    if (await setDue(tx, id, approval, calendar)) moved.add(id);
  }
  return { last: last.id, moved: [...moved] };
}

/** The version of the calendar that the timers have still to follow; null: none. */
export async function calendarToFollow(tx: Tx): Promise<number | null> {
  const [row] = await tx.$queryRaw<{ version: number }[]>`SELECT version FROM working_calendar
    WHERE organization_id = ${tx.organizationId}::uuid AND moved_version < version`;
  return row?.version ?? null;
}

/** Notes that all timers follow this version, unless there is a later one. */
export async function noteFollowed(tx: Tx, version: number): Promise<void> {
  await tx.$executeRaw`UPDATE working_calendar SET moved_version = ${version}
    WHERE organization_id = ${tx.organizationId}::uuid AND version = ${version}`;
}
