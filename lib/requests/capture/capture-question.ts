/**
 * Captures the questions that servers put: the engine stores them before anything else is done with them. The caller holds
 * the task's lock. Functions return the history lines, which the caller appends last.
 */
import { z } from "zod";
import { contentOf } from "../../base/content/content-keys.ts";
import { readable } from "../../base/content/content-writes.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import { shownOf } from "../../mcp/forms/shown.ts";
import { OPEN_QUESTIONS, QUESTIONS } from "../../mcp/limits.ts";
import type { Question } from "../../mcp/peer.ts";
import { excludedBy } from "../../policy/automatic/eligible.ts";
import type { Approval } from "../../policy/judge.ts";
import { hasAutomaticRules, judgeRequest, POLICY_OF_TASK } from "../../policy/judge-request.ts";
import { amountOf } from "../../text/amount.ts";
import { insertRequest, type NewRequest, type ShownColumns } from "./insert-request.ts";
import { queueDecision } from "../automatic/automatic-answer-writes.ts";
import { judgeDelivery, type Observation } from "../deliveries/judge-delivery.ts";
import { checkedContent } from "../answers/answer-content.ts";
import { judgeRewording } from "../request-status.ts";
import { armTimers, endTimers } from "../timers/timer-writes.ts";
import { endWithoutVote } from "../voting/release-without-vote.ts";
import { beginAnew, endVotes } from "../voting/vote-writes.ts";
import { judgeQuestion } from "../warnings.ts";
import {
  addAsk,
  askedAgainLive,
  type CapturedQuestion,
  confirmTakenBefore,
  fetchedBefore,
  isKnownAsk,
  wasAnsweredSince,
} from "./ask-writes.ts";
import { closeRequest, confirmRequest, type LiveRequest, liveRequests } from "./close-request.ts";

/** Earlier question hashes that are kept, newest first: an answer names the hash of the text read. */
const WORDINGS_KEPT = 50;

/** Most characters of a question in the history; the hash beside them covers all of the question. */
export const EVENT_CHARACTERS = 4_000;

interface AskingTask {
  id: string;
  connectionId: string;
  /** When the question ends, by the database's clock: with its task, or after the server's known wait. */
  endsAt: Date | null;
  arguments: unknown;
  tool: string;
  /** Its questions are those of a recipe, which the server knows nothing of. */
  isRecipes: boolean;
  label: string | null;
  /** The organization's, with what its rules ask about the task; null: it has none. */
  policy: unknown;
  /** The tool's own claim. */
  destructive: unknown;
  visibility: string;
  over: boolean;
  /** It has been asked anything before. */
  hasRequests: boolean;
  /** Its requests that count against the most that a task may have. */
  taken: number;
  /** A person may be asked this question anew: its answer could not be delivered. */
  mayReopen: boolean;
  /** This question was answered before. */
  confirmedBefore: boolean;
}

/** Stores a question before anything else is done with it. A known question gets at most another ask. */
export async function captureQuestion(
  tx: Tx,
  taskId: string,
  captured: CapturedQuestion,
): Promise<NewEvent[]> {
  const { question, rpc } = captured;
  const hash = questionHash({ taskId, ...question });
  const hashes = contentOf(tx).hashes(hash);
  const key = captured.key ?? contentOf(tx).hash(hash);
  const asked = Prisma.sql`FROM input_request r WHERE r.organization_id = t.organization_id AND r.task_id = t.id`;
  const [task] = await tx.$queryRaw<AskingTask[]>`
    SELECT t.id, t.connection_id AS "connectionId", t.arguments, t.tool, t.recipe_version IS NOT NULL AS "isRecipes", t.label, ${POLICY_OF_TASK} AS policy,
      t.tool_hints->'annotations'->'destructiveHint' AS destructive, t.visibility,
      least(t.expires_at, now() + ${captured.lifetimeMs}::float8 * interval '1 ms', ${endOf(rpc)}) AS "endsAt",
      (t.cancel_requested_at IS NOT NULL OR t.finished_at IS NOT NULL) AS over,
      EXISTS (SELECT ${asked}) AS "hasRequests",
      (SELECT count(*)::integer ${asked} AND r.state <> 'settled') AS taken,
      EXISTS (SELECT ${asked} AND ${sameQuestion(captured.key, hashes)} AND r.question_hash = ANY (${hashes})
        AND r.state = 'undeliverable') AS "mayReopen",
      EXISTS (SELECT ${asked} AND r.question_hash = ANY (${hashes}) AND r.state = 'settled') AS "confirmedBefore"
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid FOR NO KEY UPDATE`;
  if (!task || task.over) return [];
  // The same request has the same elicitation task, so it is not captured again.
  const mayBeKnown = rpc && task.hasRequests && rpc.elicitationTaskId === undefined;
  if (mayBeKnown && (await isKnownAsk(tx, taskId, hashes, rpc))) return [];

  let [request] = task.hasRequests ? await liveRequests(tx, taskId, sameQuestion(captured.key, hashes)) : [];
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
      return rewording === "keep" ? [] : rewordRequest(tx, task, request.id, captured);
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
  const shown = columnsOf(task, question);
  const approval = approvalOf(task, shown, askedAgain);
  const { connectionId, endsAt } = task;
  const opened = { id, taskId, connectionId, key, replaces, askedAgain, isRestless, endsAt, shown, approval };
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
    ...askedBy(task),
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

/** The stored columns of a question as it is put now. */
export function columnsOf(
  task: Pick<AskingTask, "id" | "tool" | "arguments" | "destructive">,
  question: Omit<Question, "address">,
): ShownColumns {
  const shown = shownOf(question);
  const args = z.record(z.string(), z.unknown()).parse(task.arguments);
  const amount = amountOf(args, shown.message);
  const { tool, destructive } = task;
  const hash = questionHash({ taskId: task.id, ...question });
  return {
    mode: question.mode,
    message: storableText(shown.message),
    requestedSchema:
      shown.requestedSchema === undefined ? null : (storable(shown.requestedSchema) as Prisma.InputJsonValue),
    url: shown.url === null ? null : storableText(shown.url),
    form: storable(shown.form) as Prisma.InputJsonValue,
    questionHash: hash,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    ...judgeQuestion({ ...shown, tool, destructive, arguments: args }),
    judgedHash: hash,
  };
}

/** Who has to agree on a question, by the policy; null: any one approver. */
export function approvalOf(
  task: Pick<AskingTask, "policy" | "tool" | "label" | "arguments">,
  shown: Pick<ShownColumns, "message" | "amount" | "currency" | "form" | "url">,
  askedAgain: boolean,
): Approval | null {
  if (!task.policy) return null;
  const { message, amount, currency, url } = shown;
  const form = formSchema.parse(shown.form);
  const fields = form.kind === "supported" ? form.fields.map(({ name }) => name) : [];
  const args = z.record(z.string(), z.unknown()).parse(task.arguments);
  return judgeRequest({ ...task, arguments: args }, { message, amount, currency, fields, url, askedAgain });
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

/** The rule in a line of the history. */
export function namedIn(approval: Approval | null): { approval?: Pick<Approval, "rule" | "version"> } {
  return approval ? { approval: { rule: approval.rule, version: approval.version } } : {};
}

/** Who asks, in a line of the history; nobody: the server. */
function askedBy({ isRecipes }: AskingTask): { via?: "recipe" } {
  return isRecipes ? { via: "recipe" } : {};
}

/** The observation that the key of a live request shows this other question. */
async function rewordedAs(
  tx: Tx,
  request: LiveRequest,
  question: Question,
): Promise<Extract<Observation, { kind: "reworded" }>> {
  const mayFit =
    request.delivery?.anyWording === true && answerFits({ ...request, action: request.action! }, question);
  return {
    kind: "reworded",
    restless: request.rewordedAgoMs !== null,
    fits: mayFit && (await hasSameForm(tx, request.id, question)),
    // This capture counts no polls; the poll itself is judged by the engine.
    polls: 0,
  };
}

/** Whether only the message differs: the choices of another form may be called otherwise, and its address is another. */
async function hasSameForm(tx: Tx, requestId: string, question: Question): Promise<boolean> {
  const { form, url } = shownOf(question);
  const its = contentOf(tx);
  const stored =
    its.kid === null ? storable(form) : { sealed: "", ...readable(its, "input_request.form", form) };
  const row = await tx.inputRequest.findFirst({
    where: { organizationId: tx.organizationId, id: requestId },
    select: { url: true },
  });
  const [same] = await tx.$queryRaw<{ form: boolean }[]>`
    SELECT request_alike(server_id, ${question.mode}, ${JSON.stringify(stored)}::jsonb) IS NOT DISTINCT FROM alike AS form
    FROM input_request WHERE organization_id = ${tx.organizationId}::uuid AND id = ${requestId}::uuid`;
  return same?.form === true && row?.url === (url === null ? null : storableText(url));
}

/** When the elicitation task as which a question was put ends, as SQL; `t` is the asking task. */
function endOf(rpc: CapturedQuestion["rpc"]): Prisma.Sql {
  if (rpc?.elicitationTaskId === undefined) return Prisma.sql`NULL::timestamptz`;
  return Prisma.sql`(SELECT e.created_at + e.ttl_ms * interval '1 ms' FROM elicitation_task e
    WHERE e.organization_id = t.organization_id AND e.id = ${rpc.elicitationTaskId}::uuid)`;
}

/** Whether an answer to another wording suits this question: same mode, and content that this form takes. */
export function answerFits(
  given: { mode: string; action: string; content: Record<string, unknown> | null },
  question: Question,
): boolean {
  if (given.mode !== question.mode) return false;
  if (given.action !== "accept") return true;
  const content = given.content ?? {};
  try {
    checkedContent({ mode: question.mode, form: shownOf(question).form }, { action: "accept", content });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Rewords a request in place. Earlier hashes are kept, since answers to earlier wordings bind to them; but not those of another form,
 * whose choices may have been called otherwise. They are replaced by random hashes, because their number sets the polling pace.
 */
async function rewordRequest(
  tx: Tx,
  task: AskingTask,
  requestId: string,
  { question }: CapturedQuestion,
): Promise<NewEvent[]> {
  const { id: taskId } = task;
  const isSame = await hasSameForm(tx, requestId, question);
  await tx.$executeRaw`UPDATE input_request SET reworded_at = now(),
      earlier_hashes = (earlier_hashes || question_hash)[greatest(1, cardinality(earlier_hashes) + 2 - ${WORDINGS_KEPT}::int):]
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${requestId}::uuid AND state = 'open'`;
  if (!isSame)
    await tx.$executeRaw`UPDATE input_request SET earlier_hashes = array_fill(
        encode(sha256(convert_to(id::text || ' another form', 'UTF8')), 'hex'), ARRAY[cardinality(earlier_hashes)])
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${requestId}::uuid AND state = 'open'`;
  const shown = columnsOf(task, question);
  const approval = approvalOf(task, shown, false);
  await tx.inputRequest.updateMany({
    where: { organizationId: tx.organizationId, id: requestId, state: "open" },
    data: {
      ...shown,
      requestedSchema: shown.requestedSchema ?? Prisma.DbNull,
      ...(task.policy ? { approval: approval ? storable(approval) : Prisma.DbNull } : {}),
    },
  });
  if (task.policy) await endTimers(tx, requestId, "all");
  if (approval) await armTimers(tx, requestId, approval);
  await publishChange(tx, "input_request", [requestId]);
  const message = shown.message.slice(0, EVENT_CHARACTERS);
  const dropped = task.policy ? await dropVotes(tx, taskId, requestId, "question_changed") : [];
  const ended = approval ? await endHeld(tx, requestId) : [];
  return [
    ...dropped,
    ...ended,
    {
      type: "request.reworded",
      actor: ENGINE_ACTOR,
      taskId,
      inputRequestId: requestId,
      data: {
        message,
        questionHash: contentOf(tx).hash(shown.questionHash),
        ...namedIn(approval),
        ...askedBy(task),
      },
    },
  ];
}

/** Reopens an undeliverable request whose question the server still puts; a person decides anew. */
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
  const ended = approval ? await endHeld(tx, id) : [];
  await tx.$executeRaw`UPDATE answer SET withdrawn_at = now() WHERE organization_id = ${tx.organizationId}::uuid
    AND input_request_id = ${id}::uuid AND withdrawn_at IS NULL`;
  await addAsk(tx, taskId, id, captured);
  await publishChange(tx, "input_request", [id]);
  return [
    ...dropped,
    ...ended,
    { type: "request.reopened", actor: ENGINE_ACTOR, taskId, inputRequestId: id, data: askedBy(task) },
  ];
}

/** Ends all votes on a request. */
async function dropVotes(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  reason: "question_changed" | "asked_again",
): Promise<NewEvent[]> {
  const lines = await endVotes(tx, inputRequestId, ENGINE_ACTOR, reason, "all");
  return lines.map((line) => ({ ...line, taskId, inputRequestId }));
}

/** Ends the assignment and the claims of who has no vote on what the request asks now. */
async function endHeld(tx: Tx, requestId: string): Promise<NewEvent[]> {
  const { lines } = await endWithoutVote(tx, Prisma.sql`r.id = ${requestId}::uuid`);
  return lines;
}

/**
 * 2025-11-25: whether the task may have one more open question, or this question is already open. An answer that its server
 * has fetched makes room, though it is confirmed no sooner than the task moves on, which may take many questions more.
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
