/**
 * Sends the webhooks' outbox. One engine claims a due delivery, sends it outside of any transaction, and
 * records the result. If the engine dies, another one sends the delivery again under the same webhook-id.
 */
import { AGENT_IN_FORCE } from "../../agents/agent-reads.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { secretPlace, signedHeaders } from "./sign.ts";
import type { Attempt } from "./webhook-schema.ts";
import { hostOf } from "./webhook-writes.ts";

/** Duration of a claim, longer than any attempt. */
export const TAKEN_MS = 60_000;
/** The type of the delivery that says that a subscription has ended. */
export const TERMINATED = "terminated";
/** By which the receiver of an agent's subscription finds the secret. */
export const SUBSCRIPTION_HEADER = "x-mcp-subscription-id";
/** Time for a receiver to respond. Receivers should process events after responding. */
const DEADLINE_MS = 10_000;
/** Attempts kept in a delivery's log. */
const LOGGED = 20;

interface Taken {
  id: string;
  endpointId: string;
  payload: string;
  attempts: number;
  url: string;
  secrets: string[];
  /** The webhook-id where it is not `id`. */
  messageId: string | null;
  /** The name of an agent's subscription; null: it is a webhook of admins. */
  subscription: string | null;
}

export interface DeliveryMeans {
  database: Database;
  network: Network;
  seal: Seal;
}

/**
 * SQL condition: the endpoint `e` may get the delivery `d`. A subscription gets none once it is over, or its agent is refused, but the
 * word that it has ended.
 */
const MAY_GET = Prisma.sql`(e.agent_id IS NULL OR (e.expires_at > now() AND (d.type = ${TERMINATED} OR EXISTS (
  SELECT FROM agent_credential a WHERE a.organization_id = e.organization_id AND a.id = e.agent_id AND ${AGENT_IN_FORCE}))))`;

/** Returns the organization's webhooks with due deliveries. */
export async function webhooksDue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT e.id FROM webhook_endpoint e
    WHERE e.organization_id = ${tx.organizationId}::uuid AND e.disabled_reason IS NULL AND EXISTS (
      SELECT FROM webhook_delivery d WHERE d.organization_id = e.organization_id AND d.endpoint_id = e.id
        AND d.state = 'pending' AND d.not_before <= now() AND ${MAY_GET})`;
  return rows.map((row) => row.id);
}

/** Attempts one due delivery. Returns false if there is none. */
export async function deliverNext(
  { database, network, seal }: DeliveryMeans,
  organizationId: string,
  endpointId: string,
): Promise<boolean> {
  const taken = await database.withOrganization(organizationId, (tx) => take(tx, seal, endpointId));
  if (!taken) return false;
  const attempt = await send(network, { ...taken, id: taken.messageId ?? taken.id });
  const state = await database.withOrganization(organizationId, (tx) => settle(tx, taken, attempt));
  countSent("webhook", RESULTS[state]);
  return true;
}

/** Metrics result of an attempt, by the delivery's state after it. */
const RESULTS = { delivered: "ok", failed: "given_up", pending: "failed" } as const;

async function take(tx: Tx, seal: Seal, endpointId: string): Promise<Taken | null> {
  const [row] = await tx.$queryRaw<(Omit<Taken, "secrets"> & SealedSecrets)[]>`
    UPDATE webhook_delivery d SET attempts = d.attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms'
    FROM webhook_endpoint e WHERE e.organization_id = d.organization_id AND e.id = d.endpoint_id
      AND e.disabled_reason IS NULL AND ${MAY_GET} AND d.organization_id = ${tx.organizationId}::uuid AND d.state = 'pending' AND d.id = (
        SELECT id FROM webhook_delivery WHERE organization_id = ${tx.organizationId}::uuid
          AND endpoint_id = ${endpointId}::uuid AND state = 'pending' AND not_before <= now()
        ORDER BY not_before LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING d.id, d.endpoint_id AS "endpointId", d.payload, d.attempts, d.message_id AS "messageId",
      e.subscription, e.url, e.sealed_secret AS "sealedSecret",
      CASE WHEN e.previous_until > now() THEN e.sealed_previous_secret END AS "sealedPrevious"`;
  if (!row) return null;
  const { sealedSecret, sealedPrevious, ...taken } = row;
  const open = (column: "sealed_secret" | "sealed_previous_secret", sealed: string) =>
    seal.open(secretPlace(tx.organizationId, endpointId, column), sealed);
  const secrets = [open("sealed_secret", sealedSecret)];
  if (sealedPrevious !== null) secrets.push(open("sealed_previous_secret", sealedPrevious));
  return { ...taken, secrets };
}

interface SealedSecrets {
  sealedSecret: string;
  sealedPrevious: string | null;
}

/** Sends one attempt. Follows no redirect, and reads only the response's status. */
export async function send(
  network: Network,
  {
    id,
    payload,
    url,
    secrets,
    subscription = null,
  }: Pick<Taken, "id" | "payload" | "url" | "secrets"> & Partial<Pick<Taken, "subscription">>,
): Promise<Attempt> {
  const at = new Date();
  const began = performance.now();
  const ended = (status: number | null, error: string | null): Attempt => ({
    at: at.toISOString(),
    status,
    error,
    durationMs: Math.round(performance.now() - began),
  });
  try {
    const reply = await network.fetch(receiverUrl(network, url), {
      method: "POST",
      headers: {
        ...signedHeaders(id, payload, secrets, at.getTime()),
        ...(subscription !== null && { [SUBSCRIPTION_HEADER]: subscription }),
      },
      body: payload,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await reply.body?.cancel();
    return ended(reply.status, null);
  } catch (error) {
    // An address that is not allowed any more is one that can't be reached, as a name that leads to one.
    return ended(null, (error as Error).name === "TimeoutError" ? "timeout" : "unreachable");
  }
}

/** Whether the receiver has it. */
export function isTaken({ status }: Pick<Attempt, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

async function settle(tx: Tx, taken: Taken, attempt: Attempt): Promise<keyof typeof RESULTS> {
  const { status } = attempt;
  const wasTaken = isTaken(attempt);
  const isLast = status === 410 || (taken.subscription !== null && status === 413);
  const waits = taken.subscription === null ? WAITS_MS : SUBSCRIPTION_WAITS_MS;
  const wait = wasTaken || isLast ? null : waitAfter(taken.attempts, Math.random(), waits);
  const state = wasTaken ? "delivered" : wait === null ? "failed" : "pending";
  const settled = await tx.$executeRaw`
    UPDATE webhook_delivery SET state = ${state}, not_before = now() + ${wait ?? 0} * interval '1 ms',
      ended_at = CASE WHEN ${wait}::integer IS NULL THEN now() END,
      log = (SELECT coalesce(jsonb_agg(entry ORDER BY at), '[]') FROM (
        SELECT entry, at FROM jsonb_array_elements(log || ${JSON.stringify([attempt])}::jsonb)
          WITH ORDINALITY AS entries (entry, at) ORDER BY at DESC LIMIT ${LOGGED}) kept)
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taken.id}::uuid AND state = 'pending'
      AND attempts = ${taken.attempts}`;
  if (settled !== 1) return state; // another attempt was made meanwhile, and its result counts
  if (wasTaken) {
    await tx.$executeRaw`UPDATE webhook_endpoint SET failing_since = NULL
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taken.endpointId}::uuid AND failing_since IS NOT NULL`;
    return state;
  }
  await noteFailure(tx, taken, status === 410);
  return state;
}

/**
 * Disables a webhook at once if its receiver is gone (410), else after three days without success. A subscription ends by itself, and
 * its receiver says with 410 that it does not want this one event.
 */
async function noteFailure(tx: Tx, { endpointId, url }: Taken, gone: boolean): Promise<void> {
  const [noted] = await tx.$queryRaw<{ reason: string | null }[]>(Prisma.sql`
    UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()), disabled_reason = CASE WHEN agent_id IS NOT NULL THEN NULL
      WHEN ${gone} THEN 'gone' WHEN failing_since < now() - ${FAILING_FOR_MS} * interval '1 ms' THEN 'failing' END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${endpointId}::uuid AND disabled_reason IS NULL
    RETURNING disabled_reason AS reason`);
  if (!noted?.reason) return;
  await appendEvents(tx, [
    {
      type: "webhook.disabled",
      actor: ENGINE_ACTOR,
      data: { webhookId: endpointId, host: hostOf(url), reason: noted.reason },
    },
  ]);
}

/** Deletes old deliveries, except pending ones. Returns true if more remain. */
export async function forgetOldDeliveries(tx: Tx, keepMs: number, limit: number): Promise<boolean> {
  const gone =
    await tx.$executeRaw`DELETE FROM webhook_delivery WHERE organization_id = ${tx.organizationId}::uuid
    AND id IN (SELECT id FROM webhook_delivery WHERE organization_id = ${tx.organizationId}::uuid
      AND created_at < now() - ${keepMs} * interval '1 ms' AND state <> 'pending' LIMIT ${limit})`;
  return gone === limit;
}

/** Deletes previous secrets that no longer sign. */
export async function forgetOldSecrets(tx: Tx): Promise<void> {
  await tx.$executeRaw`UPDATE webhook_endpoint SET sealed_previous_secret = NULL, previous_until = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND previous_until < now()`;
}

/** Longest waits between attempts, together about two days. Then the delivery has failed. */
const WAITS_MS = [
  5_000,
  30_000,
  2 * 60_000,
  10 * 60_000,
  30 * 60_000,
  2 * 3600_000,
  5 * 3600_000,
  10 * 3600_000,
  14 * 3600_000,
  20 * 3600_000,
];

/** As MCP Events has it: a few attempts within a quarter of an hour. What was missed is read by its cursor. */
const SUBSCRIPTION_WAITS_MS = [5_000, 30_000, 2 * 60_000, 8 * 60_000];

/**
 * Returns the wait after an attempt in ms, or null after the last. Full jitter, so that simultaneous failures
 * are not retried at the same time. `random`: from 0 up to 1.
 */
export function waitAfter(
  attempt: number,
  random: number,
  waits: readonly number[] = WAITS_MS,
): number | null {
  const longest = waits[attempt - 1];
  return longest === undefined ? null : Math.round(longest * random);
}

/** A webhook without any success for this long is disabled. */
const FAILING_FOR_MS = 3 * 24 * 3600_000;
