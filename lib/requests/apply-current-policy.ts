/**
 * Judges an open request again, by the policy of now: a person's act, where the people of its rule have left or the rule was wrong.
 * What counts for a new request counts here too; all votes end.
 */
import type { Principal } from "../access/principal.ts";
import { UNOPENED, unavailable } from "../base/content/content.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR } from "../history/events/event-writes.ts";
import { countsAsRequester } from "../people/members/one-maker.ts";
import { approvalSchema } from "../policy/judge.ts";
import { POLICY_OF_TASK, versionOf } from "../policy/judge-request.ts";
import { isMaskedCall } from "./answers/approved-call.ts";
import { approvalOf, namedIn } from "./capture/insert-request.ts";
import { endAssignment } from "./claims/claim-writes.ts";
import { lockRequest, memberOnly, refuseUnlessOpen } from "./lock-request.ts";
import { amountIn } from "./request-row.ts";
import { armTimers, endTimers } from "./timers/timer-writes.ts";
import { readVoter } from "./voting/judge-voter.ts";
import { endVotes } from "./voting/vote-writes.ts";

interface Task {
  id: string;
  policy: unknown;
  tool: string;
  label: string | null;
  arguments: unknown;
  isOwn: boolean;
}

/**
 * Does nothing where the request was judged by this version already. Throws `content_unavailable`, `call_hidden`, and `four_eyes` for who asked for the task, or counts as
 * one person with who did: they would choose who decides on it.
 */
export async function applyCurrentPolicy(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<void> {
  const { organizationId } = tx;
  const { actor } = principal;
  memberOnly(principal);
  const request = await lockRequest(tx, principal, inputRequestId);
  await refuseUnlessOpen(tx, request);
  const { taskId } = request;
  const [task] = await tx.$queryRaw<Task[]>`
    SELECT t.id, t.tool, t.label, t.arguments, ${POLICY_OF_TASK} AS policy, ${countsAsRequester(organizationId, principal)} AS "isOwn"
    FROM task t WHERE t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid`;
  const { hasAsked } = await readVoter(tx, principal, request);
  if (!task || task.isOwn || hasAsked)
    throw new AppError(
      "four_eyes",
      "You asked for this task, or somebody who counts as one person with you did. Another admin must apply the current policy.",
    );
  if (task.arguments === UNOPENED) throw unavailable(`the task ${taskId}`);
  if (isMaskedCall(request, task.arguments))
    throw new AppError(
      "call_hidden",
      "Parts of this call are hidden, so the policy can’t judge it again. Decline the request: the program’s next one follows the current policy.",
    );
  const before = request.approval === null ? null : approvalSchema.parse(request.approval);
  // Already judged by this version. Do not judge again: other inputs, like the server's name, may have changed.
  if (before && before.version === versionOf(task.policy)) return;
  const { form, ...shown } = await tx.inputRequest.findFirstOrThrow({
    where: { organizationId, id: inputRequestId },
    select: {
      ...{ id: true, message: true, form: true, url: true, askedAgain: true },
      ...{ amount: true, currency: true, privateAmount: true },
    },
  });
  const amount = amountIn(shown);
  const question = { ...shown, amount: amount?.value ?? null, currency: amount?.currency ?? null };
  const approval = approvalOf(task, { ...question, form: form as Prisma.InputJsonValue }, shown.askedAgain);
  if (!before && !approval) return;
  await tx.inputRequest.updateMany({
    where: { organizationId, id: inputRequestId, state: "open" },
    data: { approval: approval ? storable(approval) : Prisma.DbNull },
  });
  // Who had it may have no vote now.
  const unassigned = await endAssignment(tx, ENGINE_ACTOR, inputRequestId);
  await endTimers(tx, inputRequestId, "all");
  if (approval) await armTimers(tx, inputRequestId, approval);
  await tx.claim.deleteMany({ where: { organizationId, inputRequestId } });
  const dropped = await endVotes(tx, inputRequestId, actor, "judged_again", "all");
  await publishChange(tx, "input_request", [inputRequestId]);
  const data = { from: namedIn(before).approval ?? null, to: namedIn(approval).approval ?? null };
  await appendEvents(
    tx,
    [...dropped, ...unassigned, { type: "request.judged_again" as const, actor, data }].map((line) => ({
      ...line,
      taskId,
      inputRequestId,
    })),
  );
}
