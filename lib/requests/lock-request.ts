/**
 * The beginning and the end of a write to an input request: it is locked with its task, and what was written is published. The checks
 * here are those of every write.
 */
import { actorSchema } from "../access/access-schema.ts";
import { actorWords } from "../access/actor-words.ts";
import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { wakeEngine } from "../base/engine-hints.ts";
import { AppError, notFound } from "../base/errors.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, type NewEvent } from "../history/events/event-writes.ts";
import { makerOf, refusedByFourEyes } from "../people/members/one-maker.ts";
import { visibleTask } from "../tasks/visibility.ts";
import type { RequestState } from "./request-schema.ts";

export interface LockedRequest {
  id: string;
  state: RequestState;
  taskId: string;
  connectionId: string;
  mode: "form" | "url";
  /** Whose question it is: a server's, or Intray's own. */
  origin: "server" | "intray";
  /** A question of Intray's own whose time is up: an engine is about to end it. */
  isOver: boolean;
  form: unknown;
  /** Read only where several people have to agree; else null. */
  message: string | null;
  questionHash: string;
  /** When a constantly changing text was last reworded. Null: the text is stable. */
  rewordedAt: Date | null;
  /** Hashes of the earlier texts. */
  earlierHashes: string[];
  endedReason: string | null;
  urlOwner: string | null;
  cancelRequestedAt: Date | null;
  /** The principal, or who counts as one with them, asked for the task, and a second person has to accept. */
  fourEyes: boolean;
  visibility: "organization" | "private";
  requesterUserId: string | null;
  assigneeUserId: string | null;
  /** Its task is a recipe's: an answer to its server's question is the call of one of the choices. */
  isRecipes: boolean;
  recipeVersion: number | null;
  serverId: string;
  tool: string;
  /** Of the task: how an approval in front of its call stands; null: there is none. */
  gate: string | null;
  /** The server's own for the question; of a recipe's, by its place in the recipe. */
  key: string;
  /** Who has to agree, as stored (lib/policy); null: any one approver. */
  approval: unknown;
  /**
   * Rules judge this request, so people's answer may be compared with theirs. Set at insert and never reset, so it is safe to read
   * before the lock.
   */
  hasDecision: boolean;
}

/** Locks and returns the request and its task, if the principal may see them. */
export async function lockRequest(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<LockedRequest> {
  const { organizationId } = tx;
  // The task is locked before its request is looked for, as the request is when that lock is held.
  const [request] = await tx.$queryRaw<LockedRequest[]>`
    WITH its AS MATERIALIZED (
      SELECT t.cancel_requested_at AS "cancelRequestedAt", t.recipe_version IS NOT NULL AS "isRecipes", t.recipe_version AS "recipeVersion",
        t.server_id AS "serverId", t.tool, t.gate, coalesce(c.user_id, c.authorized_by) AS "urlOwner",
        ${refusedByFourEyes(organizationId, makerOf(organizationId, principal))} AS "fourEyes"
      FROM task t JOIN connection c ON c.organization_id = t.organization_id AND c.id = t.connection_id
      WHERE t.organization_id = ${organizationId}::uuid AND ${visibleTask(principal)} AND t.id = (
        SELECT task_id FROM input_request WHERE organization_id = ${organizationId}::uuid AND id = ${inputRequestId}::uuid)
      FOR NO KEY UPDATE OF t)
    SELECT r.id, r.state, r.task_id AS "taskId", r.connection_id AS "connectionId", r.mode, r.form, CASE WHEN r.approval IS NOT NULL THEN r.message END AS message, r.origin, r.key,
      (r.origin = 'intray' AND r.expires_at IS NOT NULL AND r.expires_at <= now()) AS "isOver",
      r.question_hash AS "questionHash", r.reworded_at AS "rewordedAt", r.earlier_hashes AS "earlierHashes",
      r.ended_reason AS "endedReason", r.visibility, r.requester_user_id AS "requesterUserId",
      r.assignee_user_id AS "assigneeUserId", r.approval, its.*,
      EXISTS (SELECT FROM automatic_decision d WHERE d.organization_id = r.organization_id AND d.input_request_id = r.id) AS "hasDecision"
    FROM its JOIN input_request r ON (SELECT count(*) FROM its) > 0
    WHERE r.organization_id = ${organizationId}::uuid AND r.id = ${inputRequestId}::uuid FOR NO KEY UPDATE OF r`;
  if (!request) throw notFound("request");
  return request;
}

export async function refuseUnlessOpen(tx: Tx, request: LockedRequest): Promise<void> {
  if (request.state === "open" && !request.cancelRequestedAt && !request.isOver) return;
  if (request.state === "answered" || request.state === "settled") {
    const answer = await tx.answer.findFirst({
      where: { organizationId: tx.organizationId, inputRequestId: request.id, withdrawnAt: null },
    });
    const by = actorSchema.parse(answer?.answeredBy);
    throw new AppError("already_answered", `${actorWords(by, { begins: true })} answered this already.`, {
      extra: { by, at: answer?.createdAt.toISOString(), action: answer?.action },
    });
  }
  if (request.endedReason === "replaced") throw questionChanged(request.id);
  const isOver = request.state === "open" && request.isOver;
  const reason =
    request.endedReason ??
    (request.cancelRequestedAt ? "task_cancelled" : isOver ? "expired" : request.state);
  throw new AppError(
    "no_longer_open",
    REASONS[reason] ?? "This question is no longer open. Nothing was sent.",
    {
      extra: { reason },
    },
  );
}

const REASONS: Record<string, string> = {
  task_cancelled: "The task was cancelled. Nothing was sent.",
  task_ended: "The task has ended. Nothing was sent.",
  retracted: "The server took the question back. Nothing was sent.",
  question_ttl: "The time that the server gave for the answer ran out. Nothing was sent.",
  question_lifetime: "The server gave the question up before it was answered. Nothing was sent.",
  expired: "The question’s time ran out. Nothing was sent.",
};

export function questionChanged(inputRequestId: string): AppError {
  return new AppError(
    "question_changed",
    "The server changed the question; look at the new one before you decide.",
    {
      extra: { inputRequestId },
    },
  );
}

/** Refuses what a program says to a question of Intray's own: those are for people. */
export function refuseProgram({ actor }: Principal, { origin }: Pick<LockedRequest, "origin">): void {
  if (origin === "intray" && actor.kind !== "member")
    throw new AppError("forbidden", "This question is for people: only a member can answer it.");
}

export function memberOnly(principal: Principal): string {
  if (principal.userId === null)
    throw new AppError("forbidden", "Only a member can do this, not an API key.");
  return principal.userId;
}

/** Publishes the change of the request and of its task, wakes the engine and appends the history, in this order. */
export async function publishRequest(
  tx: Tx,
  request: LockedRequest,
  events: Pick<NewEvent, "type" | "actor" | "data">[],
): Promise<void> {
  await publishChange(tx, "input_request", [request.id]);
  await publishChange(tx, "task", [request.taskId]);
  await wakeEngine(tx, request.connectionId, request.taskId);
  await appendEvents(
    tx,
    events.map((event) => ({ ...event, taskId: request.taskId, inputRequestId: request.id })),
  );
}
