/**
 * Captures the questions that servers put: the engine stores them before anything else is done with them. The caller holds
 * the task's lock. Functions return the history lines, which the caller appends last.
 */
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import { OPEN_QUESTIONS, QUESTIONS } from "../../mcp/limits.ts";
import type { Question } from "../../mcp/peer.ts";
import { excludedBy } from "../../policy/automatic/eligible.ts";
import { hasAutomaticRules, POLICY_OF_TASK } from "../../policy/judge-request.ts";
import { queueDecision } from "../automatic/automatic-answer-writes.ts";
import { judgeDelivery } from "../deliveries/judge-delivery.ts";
import { judgeRewording } from "../request-status.ts";
import { armTimers } from "../timers/timer-writes.ts";
import { releaseWithoutVote } from "../voting/release-without-vote.ts";
import { beginAnew } from "../voting/vote-writes.ts";
import {
  addAsk,
  askedAgainLive,
  type CapturedQuestion,
  confirmTakenBefore,
  fetchedBefore,
  isKnownAsk,
  wasAnsweredSince,
} from "./ask-writes.ts";
import { closeRequest, confirmRequest, lockLiveRequests } from "./close-request.ts";
import {
  type AskingTask,
  approvalOf,
  columnsOf,
  EVENT_CHARACTERS,
  insertRequest,
  type NewRequest,
  namedIn,
} from "./insert-request.ts";
import { dropVotes, rewordedAs, rewordRequest, viaOf } from "./reword-request.ts";

/** Stores a question before anything else is done with it. A known question gets at most another ask. */
export function captureQuestion(tx: Tx, taskId: string, captured: CapturedQuestion): Promise<NewEvent[]> {
  return capture(tx, taskId, captured, { read: null });
}

/** As `captureQuestion`, for several of one task in this transaction: its arguments, which may be large, are read with the first. */
export function capturing(tx: Tx, taskId: string): (captured: CapturedQuestion) => Promise<NewEvent[]> {
  const about: About = { read: null };
  return (captured) => capture(tx, taskId, captured, about);
}

/** What all questions of a task are about; null until the first one is captured. */
interface About {
  read: Pick<AskingTask, "arguments" | "policy"> | null;
}

async function capture(
  tx: Tx,
  taskId: string,
  captured: CapturedQuestion,
  about: About,
): Promise<NewEvent[]> {
  const { question, rpc } = captured;
  const hash = questionHash({ taskId, ...question });
  const hashes = contentOf(tx).hashes(hash);
  const key = captured.key ?? contentOf(tx).hash(hash);
  const asked = Prisma.sql`FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id`;
  const unread = about.read ? Prisma.empty : Prisma.sql`t.arguments, ${POLICY_OF_TASK} AS policy,`;
  const [row] = await tx.$queryRaw<AskingTask[]>`
    SELECT t.id, t.connection_id AS "connectionId", ${unread} t.tool, t.recipe_version IS NOT NULL AS "isRecipes", t.label,
      t.tool_hints->'annotations'->'destructiveHint' AS destructive, t.visibility,
      least(t.expires_at, now() + ${captured.lifetimeMs}::float8 * interval '1 ms', ${endOf(rpc)}) AS "endsAt",
      (t.cancel_requested_at IS NOT NULL OR t.finished_at IS NOT NULL) AS over,
      EXISTS (SELECT ${asked}) AS "hasRequests",
      (SELECT count(*)::integer ${asked} AND r.state <> 'settled') AS taken,
      EXISTS (SELECT ${asked} AND ${sameQuestion(captured.key, hashes)} AND r.question_hash = ANY (${hashes})
        AND r.state = 'undeliverable') AS "mayReopen",
      EXISTS (SELECT ${asked} AND r.question_hash = ANY (${hashes}) AND r.state = 'settled') AS "confirmedBefore"
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (!row || row.over) return [];
  about.read ??= { arguments: row.arguments, policy: row.policy };
  const task = { ...row, ...about.read };
  // The same request has the same elicitation task, so it is not captured again.
  const mayBeKnown = rpc && task.hasRequests && rpc.elicitationTaskId === undefined;
  if (mayBeKnown && (await isKnownAsk(tx, taskId, hashes, rpc))) return [];

  let [request] = task.hasRequests
    ? await lockLiveRequests(tx, taskId, sameQuestion(captured.key, hashes))
    : [];
  const events: NewEvent[] = [];
  if (request && hashes.includes(request.questionHash)) {
    if (!rpc) return [];
    const fetched = await fetchedBefore(tx, taskId, request.id, rpc);
    if (fetched !== "had") return askedAgainLive(tx, taskId, request, captured, fetched === "in_doubt");
    // The answer remains readable by its elicitation tasks.
    events.push(...(await confirmRequest(tx, taskId, request.id)));
    request = undefined;
  }

  if (!request && mayBeKnown && task.confirmedBefore)
    if (await wasAnsweredSince(tx, taskId, hashes, rpc)) return events;

  const { taken } = task;
  const isFull = taken >= QUESTIONS;
  let replaces: string | null = null;
  let isRestless = false;
  if (request) {
    const verdict = judgeDelivery(request.delivery, await rewordedAs(tx, request, question));
    const rewording = judgeRewording(request, isFull);
    if (verdict === "confirm") events.push(...(await confirmRequest(tx, taskId, request.id)));
    else if (verdict !== "replace") return [];
    else if (!request.delivery && rewording !== "replace")
      return rewording === "keep" ? [] : rewordRequest(tx, task, request.id, captured, hash);
    else {
      events.push(...(await closeRequest(tx, taskId, request.id, "withdrawn", "replaced")));
      if (task.policy) events.push(...(await dropVotes(tx, taskId, request.id, "question_changed")));
      replaces = request.id;
      isRestless = rewording !== "replace";
    }
  } else if (task.mayReopen) {
    const reopened = await reopenUndeliverable(tx, taskId, hashes, task, captured);
    if (reopened) return reopened;
  }
  if (rpc && task.hasRequests) events.push(...(await confirmTakenBefore(tx, taskId, rpc.messageId)));
  // A question that was just confirmed makes room for this one.
  if (isFull && events.length === 0) return [];

  const id = uuidv7();
  // An answer that this capture has confirmed counts too.
  const askedAgain =
    events.length > 0
      ? (await tx.inputRequest.count({
          where: {
            organizationId: tx.organizationId,
            taskId,
            questionHash: { in: hashes },
            state: "settled",
          },
        })) > 0
      : task.confirmedBefore;
  const shown = captured.shown ?? columnsOf(task, question, hash);
  const approval = approvalOf(task, shown, askedAgain);
  const { connectionId, endsAt } = task;
  const origin = "server" as const;
  const opened = {
    id,
    taskId,
    connectionId,
    key,
    origin,
    replaces,
    askedAgain,
    isRestless,
    endsAt,
    shown,
    approval,
  };
  await insertRequest(tx, opened, rpc ? null : captured.key);
  if (mayBeAnsweredByRule(task, opened)) await queueDecision(tx, id);
  if (approval) await armTimers(tx, id, approval);
  if (rpc) await addAsk(tx, taskId, id, captured, true);
  await publishChange(tx, "input_request", [id]);
  const message = shown.message.slice(0, EVENT_CHARACTERS);
  const data = {
    message,
    questionHash: contentOf(tx).hash(hash),
    askedAgain,
    ...namedIn(approval),
    ...viaOf(task),
  };
  events.push({
    type: replaces ? "request.replaced" : "request.opened",
    actor: ENGINE_ACTOR,
    taskId,
    inputRequestId: id,
    data: replaces ? { ...data, replaces } : data,
  });
  if (taken + 1 === QUESTIONS)
    events.push({ type: "request.last_taken", actor: ENGINE_ACTOR, taskId, data: { taken: QUESTIONS } });
  return events;
}

/** Matches requests by the server's key, or by the question's hash if the key is null; alias `r`. */
function sameQuestion(key: string | null, hashes: string[]): Prisma.Sql {
  return key === null ? Prisma.sql`r.question_hash = ANY (${hashes})` : Prisma.sql`r.key = ${key}`;
}

/** Whether rules that answer by themselves are to be asked about a new request. They are asked once it is stored. */
function mayBeAnsweredByRule(
  task: AskingTask,
  {
    shown,
    askedAgain,
    replaces,
    isRestless,
    approval,
  }: Pick<NewRequest, "shown" | "askedAgain" | "replaces" | "isRestless" | "approval">,
): boolean {
  if (!hasAutomaticRules(task.policy)) return false;
  const excluded = excludedBy({
    origin: "server",
    isRecipes: task.isRecipes,
    mode: shown.mode,
    form: formSchema.parse(shown.form),
    askedAgain,
    isReworded: replaces !== null || isRestless,
    isFlagged: task.destructive === true,
    warnings: shown.warnings,
    isPrivate: task.visibility === "private",
    hasApproval: approval !== null,
  });
  return excluded === null;
}

/** When the elicitation task as which a question was put ends, as SQL; `t` is the asking task. */
function endOf(rpc: CapturedQuestion["rpc"]): Prisma.Sql {
  if (rpc?.elicitationTaskId === undefined) return Prisma.sql`NULL::timestamptz`;
  return Prisma.sql`(SELECT e.created_at + e.ttl_ms * interval '1 ms' FROM elicitation_task e
    WHERE e.organization_id = t.organization_id AND e.id = ${rpc.elicitationTaskId}::uuid)`;
}

/** Reopens an undeliverable request whose question the server still puts; a person decides again. */
async function reopenUndeliverable(
  tx: Tx,
  taskId: string,
  hashes: string[],
  task: AskingTask,
  captured: CapturedQuestion,
): Promise<NewEvent[] | null> {
  const rows = await tx.$queryRaw<{ id: string; approval: unknown }[]>`
    UPDATE input_request SET state = 'open', ended_at = NULL, ended_reason = NULL, expires_at = ${task.endsAt} WHERE organization_id = ${tx.organizationId}::uuid AND id = (
      SELECT id FROM input_request r WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid
        AND ${sameQuestion(captured.key, hashes)} AND question_hash = ANY (${hashes}) AND state = 'undeliverable'
      ORDER BY created_at DESC LIMIT 1) RETURNING id, approval`;
  const [reopened] = rows;
  if (!reopened) return null;
  const { id, approval } = reopened;
  // The earlier votes' answer was already sent; a question that is asked again needs new votes.
  const dropped = approval ? await dropVotes(tx, taskId, id, "asked_again") : [];
  if (approval) await beginAnew(tx, id, approval);
  const ended = approval ? (await releaseWithoutVote(tx, Prisma.sql`r.id = ${id}::uuid`)).lines : [];
  await tx.$executeRaw`UPDATE answer SET withdrawn_at = now() WHERE organization_id = ${tx.organizationId}::uuid
    AND input_request_id = ${id}::uuid AND withdrawn_at IS NULL`;
  await addAsk(tx, taskId, id, captured);
  await publishChange(tx, "input_request", [id]);
  return [
    ...dropped,
    ...ended,
    { type: "request.reopened", actor: ENGINE_ACTOR, taskId, inputRequestId: id, data: viaOf(task) },
  ];
}

/**
 * 2025-11-25: whether the task may have one more open question, or this question is already open. A question whose answer the server
 * has fetched does not count: the answer is confirmed only when the task moves on, which may ask many more questions before.
 */
export async function hasRoom(tx: Tx, taskId: string, question: Question): Promise<boolean> {
  const live = await tx.$queryRaw<{ questionHash: string; isFetched: boolean }[]>`
    SELECT r.question_hash AS "questionHash", EXISTS (SELECT FROM delivery d WHERE d.organization_id = r.organization_id
      AND d.input_request_id = r.id AND d.state = 'accepted' AND d.rung = 'fetched') AS "isFetched"
    FROM input_request r WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = ${taskId}::uuid
      AND r.state IN ('open', 'answered')`;
  const hashes = contentOf(tx).hashes(questionHash({ taskId, ...question }));
  return (
    live.filter(({ isFetched }) => !isFetched).length < OPEN_QUESTIONS ||
    live.some((request) => !request.isFetched && hashes.includes(request.questionHash))
  );
}
