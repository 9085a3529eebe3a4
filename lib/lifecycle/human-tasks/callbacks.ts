/**
 * Tells a program's address once that its request has ended, as a webhook: claimed by one engine, sent outside of any
 * transaction, repeated under the same `webhook-id` until a 2xx. It gets ids and the outcome, never what was said.
 */
import { z } from "zod";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { SealedPlace } from "../../base/seal.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { type DeliveryMeans, isTaken, send, TAKEN_MS, waitAfter } from "../../outbound/webhooks/delivery.ts";
import type { Attempt } from "../../outbound/webhooks/webhook-schema.ts";
import { endedSchema } from "./human-task-schema.ts";

export function callbackPlace(organizationId: string, inputRequestId: string): SealedPlace {
  return { organizationId, table: "request_callback", row: inputRequestId, column: "sealed_secret" };
}

/** A query for the organizations with programs that are to be told of an end. */
export function organizationsWithCallbacks(): Prisma.Sql {
  return Prisma.sql`SELECT id FROM gate.organizations_with_request_callbacks()`;
}

const HOST = Prisma.sql`substring(c.url from '^https?://([^/?#]+)')`;
const DUE = Prisma.sql`c.state = 'pending' AND c.not_before <= now() AND EXISTS (SELECT FROM task t
  WHERE t.organization_id = c.organization_id AND t.id = c.task_id AND t.finished_at IS NOT NULL)`;

/** Returns the receivers, by host, that are to be told now: a slow one delays no others. */
export async function callbacksDue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ host: string }[]>`SELECT DISTINCT ${HOST} AS host FROM request_callback c
    WHERE c.organization_id = ${tx.organizationId}::uuid AND ${DUE}`;
  return rows.map(({ host }) => host);
}

interface Claimed {
  id: string;
  taskId: string;
  url: string;
  sealedSecret: string;
  attempts: number;
  state: string;
  result: unknown;
  endedAt: Date;
  /** Told in the words of the Agent Approval Protocol. */
  instanceId: string | null;
}

/** Attempts one due callback to a host. Returns false if there is none. */
export async function deliverCallback(
  { database, network, seal }: DeliveryMeans,
  organizationId: string,
  host: string,
): Promise<boolean> {
  const claimed = await database.withOrganization(organizationId, (tx) => claim(tx, host));
  if (!claimed) return false;
  const { id, url, attempts, sealedSecret } = claimed;
  const secrets = [seal.open(callbackPlace(organizationId, id), sealedSecret)];
  const attempt = await send(network, { id, payload: payloadOf(claimed), url, secrets });
  const state = await database.withOrganization(organizationId, (tx) => settle(tx, id, attempts, attempt));
  countSent("webhook", RESULTS[state]);
  return true;
}

const RESULTS = { delivered: "ok", failed: "given_up", pending: "failed" } as const;

async function claim(tx: Tx, host: string): Promise<Claimed | null> {
  const [row] = await tx.$queryRaw<Claimed[]>`
    UPDATE request_callback of SET attempts = of.attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms'
    FROM task t WHERE t.organization_id = of.organization_id AND t.id = of.task_id
      AND of.organization_id = ${tx.organizationId}::uuid AND of.input_request_id = (
        SELECT c.input_request_id FROM request_callback c WHERE c.organization_id = ${tx.organizationId}::uuid
          AND ${HOST} = ${host} AND ${DUE} ORDER BY c.not_before LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
    RETURNING of.input_request_id AS id, of.task_id AS "taskId", of.url, of.sealed_secret AS "sealedSecret",
      of.attempts, of.instance_id AS "instanceId", t.state, t.result, t.finished_at AS "endedAt"`;
  return row ?? null;
}

/** The same text at every attempt. */
function payloadOf({ id, taskId, state, result, endedAt, instanceId }: Claimed): string {
  const { outcome, revise, at } =
    state === "completed"
      ? endedSchema.parse(result).structuredContent
      : { outcome: "cancelled" as const, revise: undefined, at: endedAt.toISOString() };
  if (instanceId) {
    // A request ends once, so that its id names the event too.
    const event = { id, type: "request.resolved", instance_id: instanceId, request_id: id, created_at: at };
    return JSON.stringify(event);
  }
  const data = { id, inputRequestId: id, taskId, state: "ended", outcome, ...(revise && { revise }) };
  return JSON.stringify({ type: "request.ended", timestamp: endedAt.toISOString(), data });
}

async function settle(tx: Tx, id: string, attempts: number, attempt: Attempt): Promise<keyof typeof RESULTS> {
  const wait = isTaken(attempt) || attempt.status === 410 ? null : waitAfter(attempts, Math.random());
  const state = isTaken(attempt) ? "delivered" : wait === null ? "failed" : "pending";
  // An attempt that was made meanwhile counts instead.
  await tx.$executeRaw`UPDATE request_callback SET state = ${state}, last_attempt = ${JSON.stringify(attempt)}::jsonb,
      not_before = now() + ${wait ?? 0} * interval '1 ms', ended_at = CASE WHEN ${wait}::integer IS NULL THEN now() END
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${id}::uuid AND state = 'pending'
      AND attempts = ${attempts}`;
  return state;
}

export const lastAttemptSchema = z.object({ status: z.number().nullable(), error: z.string().nullable() });
