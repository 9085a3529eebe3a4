/** Writes to agents' calls: which call made which task, and whether its result was fetched. */
import { createHash } from "node:crypto";
import { agentOf, type Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { isRepeatable } from "../../tasks/task-status.ts";
import { storedDigest } from "../idempotency.ts";
import { type EarlierCall, judgeRepeat } from "./agent-call-status.ts";

export interface AgentCall {
  agentId: string;
  /** The tool as the agent names it. */
  name: string;
  /** What that name means: the tool of a server that the agent is granted, or null. */
  target: { serverId: string; tool: string } | null;
  arguments: Record<string, unknown>;
  /** By which the agent says exactly which call it means. */
  key: string | null;
  /** Another task is asked for, whatever runs already. */
  isNew: boolean;
  /** The call has already waited to learn if the last result arrived; now it gets that result. */
  hasWaited: boolean;
}

/** The same result was sent just now. In a moment we know if it arrived, and so whether this call repeats it. */
export class CallSettling extends Error {}

interface EarlierRow extends Omit<EarlierCall, "repeatable"> {
  digest: Uint8Array;
  /** As the server listed them. Untrusted. */
  annotations: Record<string, unknown> | null;
  /** It waited for an approval, and got none. */
  neverCalled: boolean;
  now: Date;
}

/**
 * Returns the task of an earlier call that this one repeats, or null. Repetitions at the same moment wait for each other here, until
 * the transaction ends. Throws `idempotency_mismatch` where the key was used for another call, and CallSettling.
 */
export async function joinCall(tx: Tx, call: AgentCall): Promise<string | null> {
  if (call.isNew && call.key === null) return null;
  const digest = digestOf(call);
  const which = call.key === null ? digest : keyDigestOf(call.key);
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify(["agent call", tx.organizationId, call.agentId, which.toString("hex")])}, 0))`;
  const column = call.key === null ? Prisma.sql`c.digest` : Prisma.sql`c.key_digest`;
  const [earlier] = await tx.$queryRaw<EarlierRow[]>`
    SELECT c.task_id AS "taskId", c.digest, ${call.key !== null}::boolean AS "byKey", t.finished_at AS "finishedAt",
      t.tool_hints -> 'annotations' AS annotations, t.gate IS NOT NULL AND t.gate <> 'approved' AS "neverCalled",
      c.sent_at AS "sentAt", c.fetched_at AS "fetchedAt", clock_timestamp() AS now
    FROM agent_call c JOIN task t ON t.organization_id = c.organization_id AND t.id = c.task_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.agent_id = ${call.agentId}::uuid
      AND ${column} = ANY (${storedForms(tx, which)}) ORDER BY c.created_at DESC LIMIT 1`;
  if (!earlier) return null;
  if (call.key !== null && !storedForms(tx, digest).some((form) => form.equals(earlier.digest)))
    throw new AppError("idempotency_mismatch", "This idempotency key was used before, for another call.");
  const repeatable = earlier.neverCalled || isRepeatable(earlier.annotations);
  const judged = judgeRepeat({ ...earlier, repeatable }, earlier.now);
  if (judged === "settling" && !call.hasWaited) throw new CallSettling();
  return judged === "new" ? null : earlier.taskId;
}

/** Stores that a call made a task, in the transaction that makes it. */
export async function recordCall(tx: Tx, call: AgentCall, taskId: string): Promise<void> {
  const key = call.key === null ? null : storedDigest(tx, keyDigestOf(call.key));
  await tx.$executeRaw`INSERT INTO agent_call (organization_id, task_id, agent_id, name, digest, key_digest)
    VALUES (${tx.organizationId}::uuid, ${taskId}::uuid, ${call.agentId}::uuid, ${call.name},
      ${storedDigest(tx, digestOf(call))}, ${key})`;
}

/** Stores that a rule denied a call at `/mcp`, which made no task. `tool`: as the agent named it. */
export async function recordDenied(
  tx: Tx,
  { actor }: Principal,
  { tool, rule }: { tool: string; rule: { name: string; version: number } | null },
): Promise<void> {
  const data = {
    agentId: agentOf({ actor }),
    tool,
    rule: rule?.name ?? null,
    version: rule?.version ?? null,
  };
  await appendEvents(tx, [{ type: "agent.call_denied", actor, data }]);
}

/** Stores that the results of these tasks are about to be sent. Comes before the first byte. */
export async function markSent(tx: Tx, taskIds: string[]): Promise<void> {
  await tx.$executeRaw`UPDATE agent_call SET sent_at = clock_timestamp()
    WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ANY (${taskIds}::uuid[]) AND fetched_at IS NULL`;
}

/**
 * As `markSent`, of approvals that let a program act: each is told once. Returns the tasks whose approval was not told before, of
 * several processes too.
 */
export async function claimLeave(tx: Tx, taskIds: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ taskId: string }[]>`
    UPDATE agent_call SET sent_at = clock_timestamp() WHERE organization_id = ${tx.organizationId}::uuid
      AND task_id = ANY (${taskIds}::uuid[]) AND sent_at IS NULL RETURNING task_id AS "taskId"`;
  return rows.map(({ taskId }) => taskId);
}

/**
 * Stores that a connection took all of these tasks' results, or that nobody wants them: the same call from now on is another one. People
 * who look at an answer to an agent see that it has arrived.
 */
export async function markFetched(tx: Tx, taskIds: string[]): Promise<void> {
  const asked = await tx.$queryRaw<{ id: string }[]>`
    WITH fetched AS (UPDATE agent_call SET fetched_at = clock_timestamp()
      WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ANY (${taskIds}::uuid[]) AND fetched_at IS NULL
      RETURNING task_id)
    SELECT r.id FROM fetched JOIN input_request r ON r.organization_id = ${tx.organizationId}::uuid
      AND r.task_id = fetched.task_id AND r.origin = 'intray'`;
  await publishChange(
    tx,
    "input_request",
    asked.map(({ id }) => id),
  );
}

function digestOf({ name, target, arguments: args }: AgentCall): Buffer {
  return createHash("sha256")
    .update(canonicalJson([target ? [target.serverId, target.tool] : name, args]))
    .digest();
}

function keyDigestOf(key: string): Buffer {
  return createHash("sha256").update(`key ${key}`).digest();
}

/** All forms in which a digest may be stored: plain, or keyed under one of the organization's keys. */
function storedForms(tx: Tx, digest: Buffer): Buffer[] {
  return contentOf(tx)
    .hashes(digest.toString("hex"))
    .map((form) => Buffer.from(form, "hex"));
}
