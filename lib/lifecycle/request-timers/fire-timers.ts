/**
 * What timers of requests do: remind, ask more people, end a request's time. One transaction fires a timer and has its effect, so an
 * engine may die at any moment, and any number may try. No timer ever answers: the most that one does is to cancel a task, where a
 * rule says so.
 */
import type { Database, Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { audienceOf, NO_SUBJECTS } from "../../outbound/notices/audience.ts";
import { withdrawNotices } from "../../outbound/notices/notice-writes.ts";
import { endAssignment, endIdleClaim } from "../../requests/claims/claim-writes.ts";
import { endSnoozesOf } from "../../requests/snoozes/snooze-writes.ts";
import {
  addApprovers,
  calendarToFollow,
  claimTimer,
  type DueTimer,
  dueTimers,
  type Fired,
  moveTimers,
  noteFollowed,
  noteLapse,
  noteReminded,
} from "../../requests/timers/timer-writes.ts";
import { cancelByRule } from "../task-writes.ts";

/** Timers that one turn fires, and how many at a time: all requests of a night are due at one moment of the morning. */
const AT_ONCE = 100;
const BESIDE = 4;
/** Most names that the history keeps of the people who were reminded or asked too. */
const MOST_NAMES = 20;

/**
 * Moves an organization's timers if its calendar has changed, then fires those that are due, each in a transaction of its own.
 * One that fails does not stop the others. Returns true if more may be due.
 */
export async function fireDueTimers(organizationId: string, database: Database): Promise<boolean> {
  await followCalendar(organizationId, database);
  const due = await database.withOrganization(organizationId, (tx) => dueTimers(tx, AT_ONCE));
  const failures: unknown[] = [];
  // Shuffled, so that several engines do not wait for each other at every timer.
  const left = due.map((timer) => ({ timer, at: Math.random() })).sort((one, other) => one.at - other.at);
  const fireOneByOne = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { timer } = next;
      await database
        .withOrganization(organizationId, (tx) => fireTimer(tx, timer))
        .catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: BESIDE }, fireOneByOne));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} timers were not fired`);
  return due.length === AT_ONCE;
}

/** Works all times out by the latest calendar, in batches. An engine that dies meanwhile leaves all of it to the next. */
async function followCalendar(organizationId: string, database: Database): Promise<void> {
  const version = await database.withOrganization(organizationId, (tx) => calendarToFollow(tx));
  if (version === null) return;
  let last: string | null = null;
  do {
    const after: string | null = last;
    last = await database.withOrganization(organizationId, async (tx) => {
      const batch = await moveTimers(tx, after);
      if (batch) await publishChange(tx, "input_request", batch.moved);
      return batch?.last ?? null;
    });
  } while (last !== null);
  await database.withOrganization(organizationId, (tx) => noteFollowed(tx, version));
}

/** Fires one timer, if it is still due; another engine may have. */
export async function fireTimer(tx: Tx, timer: DueTimer): Promise<void> {
  const { taskId, inputRequestId } = timer;
  // The task first, as everybody who answers, undoes or cancels. None is locked for a timer that another engine has fired.
  const locked = await tx.$queryRaw<unknown[]>`SELECT t.id FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND EXISTS (SELECT FROM request_timer own
      WHERE own.organization_id = t.organization_id AND own.id = ${timer.id}::uuid AND own.fired_at IS NULL)
    FOR NO KEY UPDATE OF t`;
  if (locked.length === 0) return;
  const fired = await claimTimer(tx, timer);
  if (!fired) return;
  await publishChange(tx, "input_request", [inputRequestId]);
  await publishChange(tx, "task", [taskId]);
  const data = await EFFECTS[fired.kind](tx, inputRequestId, fired);
  if (!data) return;
  const { version, expire } = fired.approval;
  const rule = (fired.kind === "expire" && expire?.rule) || fired.approval.rule;
  const line: NewEvent = {
    type: TYPES[fired.kind],
    actor: ENGINE_ACTOR,
    taskId,
    inputRequestId,
    data: { ...data, after: fired.after, rule, version },
  };
  await appendEvents(tx, [line]);
  if (fired.kind === "expire" && expire?.cancels)
    await cancelByRule(tx, taskId, { rule, version, after: fired.after });
}

const TYPES = {
  remind: "request.reminded",
  escalate: "request.escalated",
  expire: "request.lapsed",
} as const;

/** Returns what the history says of it; null: there was nothing to do. */
type Effect = (tx: Tx, inputRequestId: string, fired: Fired) => Promise<Record<string, unknown> | null>;

const EFFECTS: Record<Fired["kind"], Effect> = {
  /** Their notices follow from the line of the history; one that is there already is told again. */
  async remind(tx, inputRequestId, { approval, at }) {
    const of = await whoseVoteIsMissing(tx, inputRequestId);
    await noteReminded(tx, inputRequestId, approval, { at, of });
    await withdrawNotices(tx, "request.reminded", inputRequestId);
    return { stage: approval.stages[approval.open.stage]!.name, of };
  },

  async escalate(tx, inputRequestId, { approval, after, at }) {
    const current = approval.stages[approval.open.stage]!;
    const wanted = current.escalations.filter((each) => each.after === after);
    const roles = unique(wanted.flatMap((each) => each.roles)).filter(
      (role) => !current.roles.includes(role),
    );
    const people = unique(wanted.flatMap((each) => each.people)).filter((id) => !current.people.includes(id));
    const asked = new Map(wanted.flatMap((each) => each.groups).map((group) => [group.id, group]));
    for (const { id } of current.groups) asked.delete(id);
    const groups = [...asked.values()];
    if (roles.length + people.length + groups.length === 0) return null;
    const names = await namesOf(tx, people);
    const to = [...roles.map((role) => `the ${role}s`), ...groups.map(({ name }) => name), ...names];
    await addApprovers(tx, inputRequestId, approval, { roles, people, groups }, { at, to });
    await endSnoozesOf(tx, inputRequestId, { roles, people, groups });
    // What one person has waits for nobody else.
    await endIdleClaim(tx, inputRequestId);
    await appendEvents(tx, await endAssignment(tx, ENGINE_ACTOR, inputRequestId));
    return { stage: current.name, to, roles, people, ...(groups.length > 0 && { groups }) };
  },

  async expire(tx, inputRequestId, { approval, at }) {
    await noteLapse(tx, inputRequestId, approval, at);
    return { cancels: approval.expire?.cancels === true };
  },
};

function unique(list: string[]): string[] {
  return [...new Set(list)];
}

/** The names of those for whom the request waits, also of who has put it off: nobody else sees that. */
async function whoseVoteIsMissing(tx: Tx, inputRequestId: string): Promise<string[]> {
  const audience = audienceOf(tx.organizationId, { ...NO_SUBJECTS, requests: [inputRequestId] });
  const rows = await tx.$queryRaw<{ name: string }[]>`
    SELECT u.name FROM (${audience}) AS told JOIN "user" u ON u.id = told.user_id
    WHERE told.cause IN ('request.waiting', 'request.assigned', 'request.woke', 'request.snoozed') ORDER BY u.name, u.id`;
  return fewNames(rows.map(({ name }) => name));
}

async function namesOf(tx: Tx, people: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<
    { name: string }[]
  >`SELECT u.name FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.user_id = ANY (${people}::uuid[]) ORDER BY u.name, u.id`;
  return fewNames(rows.map(({ name }) => name));
}

function fewNames(names: string[]): string[] {
  const more = names.length - MOST_NAMES;
  return more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names;
}
