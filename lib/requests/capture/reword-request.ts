/**
 * Rewords a request whose server changes the text again and again, and ends what people did for an earlier wording. The caller holds
 * the task's lock. Functions return the history lines, which the caller appends last.
 */

import { contentOf } from "../../base/content/content-keys.ts";
import { readable } from "../../base/content/content-writes.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { shownOf } from "../../mcp/forms/shown.ts";
import type { Question } from "../../mcp/peer.ts";
import { answerFits } from "../answers/answer-content.ts";
import type { Observation } from "../deliveries/judge-delivery.ts";
import { armTimers, endTimers } from "../timers/timer-writes.ts";
import { releaseWithoutVote } from "../voting/release-without-vote.ts";
import { endVotes } from "../voting/vote-writes.ts";
import type { CapturedQuestion } from "./ask-writes.ts";
import type { LiveRequest } from "./close-request.ts";
import { type AskingTask, approvalOf, columnsOf, EVENT_CHARACTERS, namedIn } from "./insert-request.ts";

/** Earlier question hashes that are kept, newest first: an answer names the hash of the text read. */
const WORDINGS_KEPT = 50;

/** The observation that the key of a live request shows this other question. */
export async function rewordedAs(
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
async function hasSameForm(tx: Tx, inputRequestId: string, question: Question): Promise<boolean> {
  const { form, url } = shownOf(question);
  const keys = contentOf(tx);
  const stored =
    keys.kid === null ? storable(form) : { sealed: "", ...readable(keys, "input_request.form", form) };
  const row = await tx.inputRequest.findFirst({
    where: { organizationId: tx.organizationId, id: inputRequestId },
    select: { url: true },
  });
  const [same] = await tx.$queryRaw<{ form: boolean }[]>`
    SELECT request_alike(server_id, ${question.mode}, ${JSON.stringify(stored)}::jsonb) IS NOT DISTINCT FROM alike AS form
    FROM input_request WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid`;
  return same?.form === true && row?.url === (url === null ? null : storableText(url));
}

/**
 * Rewords a request in place. Earlier hashes are kept, since answers to earlier wordings bind to them; but not those of another form,
 * whose choices may have been called otherwise. They are replaced by random hashes, because their number sets the polling pace.
 */
export async function rewordRequest(
  tx: Tx,
  task: AskingTask,
  inputRequestId: string,
  captured: CapturedQuestion,
  hash: string,
): Promise<NewEvent[]> {
  const { id: taskId } = task;
  const { question } = captured;
  const isSame = await hasSameForm(tx, inputRequestId, question);
  await tx.$executeRaw`UPDATE input_request SET reworded_at = now(),
      earlier_hashes = (earlier_hashes || question_hash)[greatest(1, cardinality(earlier_hashes) + 2 - ${WORDINGS_KEPT}::int):]
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid AND state = 'open'`;
  if (!isSame)
    await tx.$executeRaw`UPDATE input_request SET earlier_hashes = array_fill(
        encode(sha256(convert_to(id::text || ' another form', 'UTF8')), 'hex'), ARRAY[cardinality(earlier_hashes)])
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${inputRequestId}::uuid AND state = 'open'`;
  const shown = captured.shown ?? columnsOf(task, question, hash);
  const approval = approvalOf(task, shown, false);
  await tx.inputRequest.updateMany({
    where: { organizationId: tx.organizationId, id: inputRequestId, state: "open" },
    data: {
      ...shown,
      requestedSchema: shown.requestedSchema ?? Prisma.DbNull,
      ...(task.policy ? { approval: approval ? storable(approval) : Prisma.DbNull } : {}),
    },
  });
  if (task.policy) await endTimers(tx, inputRequestId, "all");
  if (approval) await armTimers(tx, inputRequestId, approval);
  await publishChange(tx, "input_request", [inputRequestId]);
  const message = shown.message.slice(0, EVENT_CHARACTERS);
  const dropped = task.policy ? await dropVotes(tx, taskId, inputRequestId, "question_changed") : [];
  const ended = approval
    ? (await releaseWithoutVote(tx, Prisma.sql`r.id = ${inputRequestId}::uuid`)).lines
    : [];
  return [
    ...dropped,
    ...ended,
    {
      type: "request.reworded",
      actor: ENGINE_ACTOR,
      taskId,
      inputRequestId,
      data: {
        message,
        questionHash: contentOf(tx).hash(shown.questionHash),
        ...namedIn(approval),
        ...viaOf(task),
      },
    },
  ];
}

/** Ends all votes on a request. */
export async function dropVotes(
  tx: Tx,
  taskId: string,
  inputRequestId: string,
  reason: "question_changed" | "asked_again",
): Promise<NewEvent[]> {
  const lines = await endVotes(tx, inputRequestId, ENGINE_ACTOR, reason, "all");
  return lines.map((line) => ({ ...line, taskId, inputRequestId }));
}

/** Who asks, in a line of the history; nobody: the server. */
export function viaOf({ isRecipes }: AskingTask): { via?: "recipe" } {
  return isRecipes ? { via: "recipe" } : {};
}
