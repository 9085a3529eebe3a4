/** Admins' changes to webhooks. outbox.ts adds deliveries to the outbox, delivery.ts sends them. */

import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { newSecret, secretPlace } from "./sign.ts";
import { type CreateWebhook, TEST_EVENT, type UpdateWebhook } from "./webhook-schema.ts";

/** Limits webhooks per organization, since each event goes to all of them. */
const MOST_WEBHOOKS = 20;
/** Time for a receiver to switch to a new secret. */
const BOTH_SECRETS_MS = 24 * 3600_000;

/** Returns the secret, which cannot be read again. Throws `address_not_allowed`, `too_many_webhooks`. */
export async function createWebhook(
  tx: Tx,
  principal: Principal,
  { network, seal }: { network: Network; seal: Seal },
  { url, events }: CreateWebhook,
): Promise<{ id: string; secret: string }> {
  const { organizationId } = tx;
  const host = checkAddress(network, url);
  // One at a time, so that two at once do not exceed the limit.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${organizationId}::uuid FOR UPDATE`;
  if ((await tx.webhookEndpoint.count({ where: { organizationId, agentId: null } })) >= MOST_WEBHOOKS)
    throw new AppError("too_many_webhooks", `There are ${MOST_WEBHOOKS} webhooks already; remove one first.`);
  const id = uuidv7();
  const secret = newSecret();
  const sealedSecret = seal.seal(secretPlace(organizationId, id, "sealed_secret"), secret);
  await tx.webhookEndpoint.create({ data: { organizationId, id, url, events, sealedSecret } });
  await appendEvent(tx, principal, "webhook.created", id, { host, events });
  return { id, secret };
}

/**
 * Changes a webhook. Enabling it again resets its failures and sends deliveries that waited. Throws
 * `not_found`, `address_not_allowed`.
 */
export async function updateWebhook(
  tx: Tx,
  principal: Principal,
  network: Network,
  webhookId: string,
  { url, events, enabled }: UpdateWebhook,
): Promise<void> {
  const before = await lock(tx, webhookId);
  if (url !== undefined) checkAddress(network, url);
  await tx.webhookEndpoint.updateMany({
    where: { organizationId: tx.organizationId, id: webhookId },
    data: {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      ...(enabled === true && { disabledReason: null, failingSince: null }),
      ...(enabled === false && { disabledReason: "by_hand" }),
    },
  });
  const host = hostOf(url ?? before.url);
  const isEnabled = before.disabledReason === null;
  if (enabled !== undefined && (enabled !== isEnabled || before.disabledReason !== "by_hand"))
    await appendEvent(tx, principal, enabled ? "webhook.enabled" : "webhook.disabled", webhookId, {
      host,
      ...(!enabled && { reason: "by_hand" }),
    });
  if (url !== undefined || events)
    await appendEvent(tx, principal, "webhook.updated", webhookId, {
      host,
      ...(events && { events }),
    });
}

/** Deletes a webhook and its log. Throws `not_found`. */
export async function removeWebhook(tx: Tx, principal: Principal, webhookId: string): Promise<void> {
  const { url } = await lock(tx, webhookId);
  await tx.webhookEndpoint.deleteMany({ where: { organizationId: tx.organizationId, id: webhookId } });
  await appendEvent(tx, principal, "webhook.removed", webhookId, { host: hostOf(url) });
}

/** Creates a new secret; the previous one signs too for a day. Throws `not_found`. */
export async function rotateSecret(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  webhookId: string,
): Promise<{ secret: string }> {
  const { url, sealedSecret } = await lock(tx, webhookId);
  const place = (column: "sealed_secret" | "sealed_previous_secret") =>
    secretPlace(tx.organizationId, webhookId, column);
  const secret = newSecret();
  const previous = seal.open(place("sealed_secret"), sealedSecret);
  await tx.webhookEndpoint.updateMany({
    where: { organizationId: tx.organizationId, id: webhookId },
    data: {
      sealedSecret: seal.seal(place("sealed_secret"), secret),
      sealedPreviousSecret: seal.seal(place("sealed_previous_secret"), previous),
      previousUntil: new Date(Date.now() + BOTH_SECRETS_MS),
    },
  });
  await appendEvent(tx, principal, "webhook.secret_rotated", webhookId, {
    host: hostOf(url),
  });
  return { secret };
}

/** Sends a test event to the receiver's developer. Returns the delivery's id. Throws `not_found`. */
export async function sendTest(tx: Tx, webhookId: string): Promise<string> {
  await lock(tx, webhookId);
  const id = uuidv7();
  const payload = { type: TEST_EVENT, timestamp: new Date().toISOString(), data: { webhookId } };
  await tx.webhookDelivery.create({
    data: {
      organizationId: tx.organizationId,
      id,
      endpointId: webhookId,
      type: TEST_EVENT,
      payload: JSON.stringify(payload),
    },
  });
  return id;
}

/** Resends a delivery under its webhook-id. Throws `not_found`; `nothing_to_resend` while pending. */
export async function resendDelivery(tx: Tx, deliveryId: string): Promise<void> {
  const again = await tx.webhookDelivery.updateMany({
    where: { organizationId: tx.organizationId, id: deliveryId, messageId: null, state: { not: "pending" } },
    data: { state: "pending", attempts: 0, notBefore: new Date(), endedAt: null },
  });
  if (again.count === 1) return;
  if (
    (await tx.webhookDelivery.count({
      where: { organizationId: tx.organizationId, id: deliveryId, messageId: null },
    })) === 0
  )
    throw notFound("delivery");
  throw new AppError("nothing_to_resend", "It is on its way already.");
}

/** Requires https, or a host named by the operator. Returns the host, since the path may be a secret. */
export function checkAddress(network: Network, address: string, field = "url"): string {
  try {
    return receiverUrl(network, address).host;
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new AppError("address_not_allowed", "Intray sends webhooks to public https addresses only.", {
      errors: [{ field, message: "Use a public https address" }],
      cause: error,
    });
  }
}

export function hostOf(url: string): string {
  return new URL(url).host;
}

async function lock(tx: Tx, webhookId: string) {
  const [found] = await tx.$queryRaw<{ url: string; sealedSecret: string; disabledReason: string | null }[]>(
    Prisma.sql`SELECT url, sealed_secret AS "sealedSecret", disabled_reason AS "disabledReason" FROM webhook_endpoint
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${webhookId}::uuid AND agent_id IS NULL FOR UPDATE`,
  );
  if (!found) throw notFound("webhook");
  return found;
}

async function appendEvent(
  tx: Tx,
  principal: Principal,
  type: NewEvent["type"],
  webhookId: string,
  data: Record<string, unknown>,
): Promise<void> {
  await appendEvents(tx, [{ type, actor: principal.actor, data: { webhookId, ...data } }]);
}
