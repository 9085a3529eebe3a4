/**
 * Subscriptions of agents to events (MCP Events): webhooks that an agent asked for, with a secret of its receiver's, for a time.
 * Each has its own place in the history, so that it goes on where it was after an outage, and where its agent says.
 */
import { createHash, randomUUID } from "node:crypto";
import { agentOf, type Principal } from "../../access/principal.ts";
import { AGENT_IN_FORCE } from "../../agents/agent-reads.ts";
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { TERMINATED } from "../webhooks/delivery.ts";
import { secretPlace } from "../webhooks/sign.ts";
import { hostOf } from "../webhooks/webhook-writes.ts";
import { readAgentEvents, type Subscribed } from "./agent-event-reads.ts";
import {
  type AgentEventArguments,
  type AgentEventName,
  agentEventArgumentsSchema,
  agentEventNameSchema,
  MOST_SUBSCRIPTIONS,
} from "./agent-event-schema.ts";

/** How long an earlier secret signs beside the new one. */
const BOTH_SECRETS_MS = 5 * 60_000;
/** How long a receiver is told that a subscription was ended. */
const TOLD_MS = 3600_000;
/** Subscriptions, and events of each, that one transaction takes on. */
const AT_ONCE = 20;
const EVENTS_AT_ONCE = 100;

/** As the protocol names it to receivers: the same for the same agent, address, event and arguments. */
export function subscriptionName(
  organizationId: string,
  { agentId, name, arguments: args }: Subscribed,
  url: string,
): string {
  const key = canonicalJson([organizationId, agentId, url, name, args]);
  return `sub_${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** Whether the agent has a subscription to this address, which has shown that it wants them. */
export async function isVerified(tx: Tx, agentId: string, url: string): Promise<boolean> {
  const rows =
    await tx.$queryRaw`SELECT FROM webhook_endpoint WHERE organization_id = ${tx.organizationId}::uuid
    AND agent_id = ${agentId}::uuid AND url = ${url} AND NOT terminated AND expires_at > now() LIMIT 1`;
  return (rows as unknown[]).length > 0;
}

export interface Subscribing extends Subscribed {
  url: string;
  secret: string;
  ttlMs: number;
  /** The line after which a new one begins. One that is there goes on where it is. */
  after: bigint;
}

/** `cursor`: nothing at or before this line is lost. `isNew`: it was not there. Null: the agent has too many. */
export async function saveSubscription(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  input: Subscribing,
): Promise<{ subscription: string; expiresAt: Date; cursor: bigint; isNew: boolean } | null> {
  const { organizationId } = tx;
  const { agentId, name, arguments: args, url, secret, ttlMs, after } = input;
  const subscription = subscriptionName(organizationId, input, url);
  // Two at once are one after the other, so that they are one, and do not exceed the limit.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify(["event subscriptions", organizationId, agentId])}, 0))`;
  await tx.$executeRaw`DELETE FROM webhook_endpoint WHERE organization_id = ${organizationId}::uuid
    AND agent_id = ${agentId}::uuid AND NOT terminated AND expires_at <= now()`;
  const [known] = await tx.$queryRaw<{ id: string; sealedSecret: string; seq: bigint }[]>`
    SELECT id, sealed_secret AS "sealedSecret", seq FROM webhook_endpoint
    WHERE organization_id = ${organizationId}::uuid AND subscription = ${subscription} AND NOT terminated FOR UPDATE`;
  const expiresAt = new Date(Date.now() + ttlMs);
  if (known) {
    await tx.webhookEndpoint.updateMany({
      where: { organizationId, id: known.id, terminated: false },
      data: { expiresAt, ...newSecret(seal, organizationId, known, secret) },
    });
    return { subscription, expiresAt, cursor: await safeCursor(tx, known), isNew: false };
  }
  const held = await tx.webhookEndpoint.count({ where: { organizationId, agentId, terminated: false } });
  if (held >= MOST_SUBSCRIPTIONS) return null;
  const id = uuidv7();
  const sealedSecret = seal.seal(secretPlace(organizationId, id, "sealed_secret"), secret);
  const values = { agentId, subscription, arguments: { ...args }, seq: after, expiresAt };
  await tx.webhookEndpoint.create({
    data: { organizationId, id, url, events: [name], sealedSecret, ...values },
  });
  const data = { agentId, subscriptionId: id, event: name, host: hostOf(url) };
  await appendEvents(tx, [{ type: "agent.subscribed", actor: principal.actor, data }]);
  return { subscription, expiresAt, cursor: after, isNew: true };
}

/** What a refresh with another secret writes: the earlier one signs too for a while. */
function newSecret(
  seal: Seal,
  organizationId: string,
  { id, sealedSecret }: { id: string; sealedSecret: string },
  secret: string,
) {
  const place = (column: "sealed_secret" | "sealed_previous_secret") =>
    secretPlace(organizationId, id, column);
  const earlier = seal.open(place("sealed_secret"), sealedSecret);
  if (earlier === secret) return {};
  return {
    sealedSecret: seal.seal(place("sealed_secret"), secret),
    sealedPreviousSecret: seal.seal(place("sealed_previous_secret"), earlier),
    previousUntil: new Date(Date.now() + BOTH_SECRETS_MS),
  };
}

/** The line up to which the receiver has all, or Intray has given up. */
async function safeCursor(tx: Tx, { id, seq }: { id: string; seq: bigint }): Promise<bigint> {
  const [waiting] = await tx.$queryRaw<{ seq: bigint | null }[]>`SELECT min(seq) AS seq FROM webhook_delivery
    WHERE organization_id = ${tx.organizationId}::uuid AND endpoint_id = ${id}::uuid AND state = 'pending'`;
  return waiting?.seq ? waiting.seq - 1n : seq;
}

/** Ends the agent's own subscription at once. Returns false if there is none. */
export async function dropSubscription(tx: Tx, principal: Principal, subscription: string): Promise<boolean> {
  const { organizationId } = tx;
  const agentId = agentOf(principal);
  const [gone] = await tx.$queryRaw<{ id: string; url: string; events: string[] }[]>`
    DELETE FROM webhook_endpoint WHERE organization_id = ${organizationId}::uuid AND agent_id = ${agentId}::uuid
      AND subscription = ${subscription} AND NOT terminated AND expires_at > now() RETURNING id, url, events`;
  if (!gone) return false;
  const data = { agentId, subscriptionId: gone.id, event: gone.events[0], host: hostOf(gone.url) };
  await appendEvents(tx, [{ type: "agent.subscription_ended", actor: principal.actor, data }]);
  return true;
}

/** Ends a subscription for a person. Its receiver is told. Throws `not_found`. */
export async function endSubscription(
  tx: Tx,
  principal: Principal,
  agentId: string,
  id: string,
): Promise<void> {
  const { organizationId } = tx;
  const [found] = await tx.$queryRaw<{ id: string; url: string; events: string[] }[]>`
    SELECT id, url, events FROM webhook_endpoint WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid
      AND agent_id = ${agentId}::uuid AND NOT terminated AND expires_at > now() FOR UPDATE`;
  if (!found) throw notFound("subscription");
  await terminate(tx, id, "Ended by an admin");
  const data = { agentId, subscriptionId: id, event: found.events[0], host: hostOf(found.url) };
  await appendEvents(tx, [{ type: "agent.subscription_ended", actor: principal.actor, data }]);
}

/** As the protocol says that the principal's access ended. */
export const FORBIDDEN = -32024;

/** Sends nothing more but the word that the subscription has ended. The caller holds its lock. */
async function terminate(tx: Tx, id: string, reason: string): Promise<void> {
  const { organizationId } = tx;
  await tx.$executeRaw`UPDATE webhook_delivery SET state = 'failed', ended_at = now()
    WHERE organization_id = ${organizationId}::uuid AND endpoint_id = ${id}::uuid AND state = 'pending'`;
  await tx.$executeRaw`UPDATE webhook_endpoint SET terminated = true, expires_at = now() + ${TOLD_MS} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid`;
  const error = { code: FORBIDDEN, message: "Forbidden", data: { reason } };
  await tx.webhookDelivery.create({
    data: {
      organizationId,
      id: uuidv7(),
      endpointId: id,
      type: TERMINATED,
      payload: JSON.stringify({ type: TERMINATED, error }),
      messageId: `msg_${TERMINATED}_${randomUUID()}`,
    },
  });
}

interface Behind {
  id: string;
  agentId: string;
  events: string[];
  arguments: unknown;
  seq: bigint;
  isInForce: boolean;
}

/**
 * Adds new events to the outbox of subscriptions that are behind the history, ends those of refused agents, and deletes those whose
 * time is over. Returns true if more is left.
 */
export async function recordAgentEvents(tx: Tx): Promise<boolean> {
  const { organizationId } = tx;
  await tx.$executeRaw`DELETE FROM webhook_endpoint
    WHERE organization_id = ${organizationId}::uuid AND agent_id IS NOT NULL AND expires_at <= now()`;
  const behind = await tx.$queryRaw<Behind[]>`
    SELECT e.id, e.agent_id AS "agentId", e.events, e.arguments, e.seq, ${AGENT_IN_FORCE} AS "isInForce"
    FROM webhook_endpoint e JOIN event_head head ON head.organization_id = e.organization_id
      JOIN agent_credential a ON a.organization_id = e.organization_id AND a.id = e.agent_id
    WHERE e.organization_id = ${organizationId}::uuid AND NOT e.terminated AND e.seq < head.seq
    ORDER BY e.seq, e.id LIMIT ${AT_ONCE} FOR UPDATE OF e SKIP LOCKED`;
  let isMore = behind.length === AT_ONCE;
  for (const each of behind) {
    if (!each.isInForce) await terminate(tx, each.id, "The agent was revoked, or its secret has ended");
    else if (await recordFor(tx, each)) isMore = true;
  }
  return isMore;
}

async function recordFor(
  tx: Tx,
  { id, agentId, events: [event], arguments: args, seq }: Behind,
): Promise<boolean> {
  const { organizationId } = tx;
  const name: AgentEventName = agentEventNameSchema.parse(event);
  const filter: AgentEventArguments = agentEventArgumentsSchema.parse(args);
  const read = await readAgentEvents(tx, { agentId, name, arguments: filter }, seq, EVENTS_AT_ONCE);
  const first = read.events[0];
  if (first) {
    const [waiting] = await tx.$queryRaw<
      { seq: bigint | null }[]
    >`SELECT min(seq) AS seq FROM webhook_delivery
      WHERE organization_id = ${organizationId}::uuid AND endpoint_id = ${id}::uuid AND state = 'pending'`;
    // What comes before the oldest delivery that is under way is with the receiver.
    const safe = (waiting?.seq ?? first.seq) - 1n;
    await tx.webhookDelivery.createMany({
      data: read.events.map((each) => ({
        ...{ organizationId, id: uuidv7(), endpointId: id, type: name, seq: each.seq },
        messageId: each.event.eventId,
        payload: JSON.stringify({ ...each.event, cursor: String(safe) }),
      })),
    });
  }
  await tx.$executeRaw`UPDATE webhook_endpoint SET seq = ${read.reached}
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid AND seq = ${seq}`;
  return read.hasMore;
}
