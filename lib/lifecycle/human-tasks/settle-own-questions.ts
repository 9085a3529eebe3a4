/**
 * Settles questions of Intray's own (`input_request.origin` is `intray`): answers whose hold is over, and questions whose
 * time is up. One transaction does all of it and nothing is sent, so a process may die at any moment.
 */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { ASKED_TO_REVISE } from "../../requests/answers/decided-words.ts";
import { closeRequest, settleUnsent } from "../../requests/capture/close-request.ts";
import { releaseHeld } from "../../requests/deliveries/delivery-writes.ts";
import { wordsOf } from "../../requests/request-row.ts";
import { actionSchema } from "../../requests/request-schema.ts";
import { isRecord } from "../../text/json.ts";
import { approveCall, declineCall, expireCall } from "../call-approval.ts";
import { endTask } from "../end-task.ts";
import { type Decision, outcomeOfDecision, resultOf } from "./human-task-result.ts";

/** Questions that one turn settles. */
const AT_ONCE = 100;

/** A query for the organizations with questions of Intray's own that are due. */
export function organizationsWithOwnQuestions(): Prisma.Sql {
  return Prisma.sql`SELECT id FROM gate.organizations_with_own_questions()`;
}

/**
 * Settles an organization's due questions, each in a transaction of its own. One that fails does not stop the others.
 * Returns true if more may be due.
 */
export async function settleOwnQuestions(organizationId: string, database: Database): Promise<boolean> {
  const due = await database.withOrganization(organizationId, (tx) => dueQuestions(tx));
  const failures: unknown[] = [];
  for (const id of due)
    await database
      .withOrganization(organizationId, (tx) => settleOwnQuestion(tx, id))
      .catch((error: unknown) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} questions of Intray's own were not settled`);
  return due.length === AT_ONCE;
}

async function dueQuestions(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM input_request r WHERE r.organization_id = ${tx.organizationId}::uuid AND r.origin = 'intray'
      AND ((r.state = 'open' AND r.expires_at <= now()) OR (r.state = 'answered' AND EXISTS (SELECT FROM delivery d
        WHERE d.organization_id = r.organization_id AND d.input_request_id = r.id
          AND (d.state = 'pending' OR (d.state = 'held' AND d.deliver_after <= now())))))
    ORDER BY r.created_at, r.id LIMIT ${AT_ONCE}`;
  return rows.map(({ id }) => id);
}

interface Asked {
  id: string;
  connectionId: string;
  serverId: string;
  tool: string;
  state: string;
  gate: string | null;
}

/** Settles one question, if it is due; any number of engines may try. */
async function settleOwnQuestion(tx: Tx, inputRequestId: string): Promise<void> {
  // The task first, as everybody who answers, undoes or cancels.
  const [task] = await tx.$queryRaw<Asked[]>`
    SELECT t.id, t.connection_id AS "connectionId", t.server_id AS "serverId", t.tool, t.state, t.gate FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = (SELECT task_id FROM input_request
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid AND origin = 'intray')
    FOR NO KEY UPDATE`;
  if (!task) return;
  const [request] = await tx.$queryRaw<{ state: string; isOver: boolean; now: Date }[]>`
    SELECT state, coalesce(expires_at <= now(), false) AS "isOver", now() AS now FROM input_request
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid FOR NO KEY UPDATE`;
  if (request?.state === "open" && request.isOver) return expire(tx, task, inputRequestId, request.now);
  if (request?.state !== "answered") return;
  await releaseHeld(tx, task.id);
  const settled = await settleUnsent(tx, task.id, inputRequestId);
  if (settled.length === 0) return;
  const decision = await decisionOf(tx, inputRequestId);
  await appendEvents(tx, settled);
  await act(tx, task, decision, request.now);
}

async function expire(tx: Tx, task: Asked, inputRequestId: string, now: Date): Promise<void> {
  const closed = await closeRequest(tx, task.id, inputRequestId, "expired", "expired");
  if (closed.length === 0) return;
  await appendEvents(tx, closed);
  await act(tx, task, null, now);
}

/** Carries out a decision; null: the time ran out. A task that has ended meanwhile stays as it is. */
async function act(
  tx: Tx,
  task: Asked,
  decision:
    | (Decision & { actor: z.infer<typeof actorSchema>; changed: Record<string, unknown> | null })
    | null,
  now: Date,
): Promise<void> {
  if (task.gate === null) {
    const result = resultOf(task.tool, outcomeOfDecision(task.tool, decision, now));
    const outcome = decision ? outcomeWords(task.tool, decision) : "Expired";
    await endTask(tx, task.id, { state: "completed", result, outcome });
  } else if (!decision) await expireCall(tx, task.id);
  else if (decision.action === "accept")
    await appendEvents(
      tx,
      await approveCall(tx, { ...task, gate: task.gate }, decision.actor, decision.changed),
    );
  else
    await declineCall(tx, task.id, {
      by: decision.actor,
      reason: decision.comment,
      revise: decision.revise,
    });
}

/** As the inbox says it: `Approved by Ben`. */
function outcomeWords(
  tool: string,
  { action, content, form, revise, actor }: Decision & { actor: z.infer<typeof actorSchema> },
): string {
  const asked = { origin: "intray", isRecipes: false, gate: null, tool } as const;
  const words = revise ? ASKED_TO_REVISE : wordsOf(action, content, form, asked);
  return `${words} by ${actorWords(actor)}`;
}

async function decisionOf(tx: Tx, inputRequestId: string) {
  const answer = await tx.answer.findFirstOrThrow({
    where: { organizationId: tx.organizationId, inputRequestId, withdrawnAt: null },
    // With the id, to which sealed values are bound.
    select: {
      id: true,
      action: true,
      content: true,
      comment: true,
      revise: true,
      changes: true,
      answeredBy: true,
      createdAt: true,
    },
  });
  const { form } = await tx.inputRequest.findFirstOrThrow({
    where: { organizationId: tx.organizationId, id: inputRequestId },
    select: { id: true, form: true },
  });
  const actor = actorSchema.parse(answer.answeredBy);
  return {
    actor,
    changed: answer.changes ? changedSchema.parse(answer.content).arguments : null,
    form: formSchema.parse(form),
    action: actionSchema.parse(answer.action),
    content: z.record(z.string(), z.unknown()).nullable().parse(answer.content),
    comment: answer.comment,
    revise: answer.revise,
    by: { id: actor.id, name: actor.name },
    at: answer.createdAt,
  };
}

/** The content of an approval that changes the call. A z.record would drop a member `__proto__`. */
const changedSchema = z.object({ arguments: z.custom<Record<string, unknown>>(isRecord) });
