import { z } from "zod";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import {
  attemptSchema,
  disabledReasonSchema,
  type Webhook,
  type WebhookDelivery,
  webhookDeliverySchema,
  webhookEventSchema,
} from "./webhook-schema.ts";

/** Lists webhooks, oldest first. */
export async function listWebhooks(tx: Tx, query: PageQuery): Promise<Page<Webhook>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const rows = await tx.$queryRaw<WebhookRow[]>`${SELECT} WHERE e.organization_id = ${tx.organizationId}::uuid
    AND e.agent_id IS NULL ${after ? Prisma.sql`AND (e.created_at, e.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY e.created_at, e.id LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toWebhook);
}

/** Returns a webhook. Throws `not_found`. */
export async function readWebhook(tx: Tx, webhookId: string): Promise<Webhook> {
  const [row] = await tx.$queryRaw<WebhookRow[]>`${SELECT}
    WHERE e.organization_id = ${tx.organizationId}::uuid AND e.id = ${webhookId}::uuid AND e.agent_id IS NULL`;
  if (!row) throw notFound("webhook");
  return toWebhook(row);
}

/** Lists a webhook's deliveries, newest first. Throws `not_found`. */
export async function listDeliveries(
  tx: Tx,
  webhookId: string,
  query: PageQuery,
): Promise<Page<WebhookDelivery>> {
  const known = await tx.webhookEndpoint.count({
    where: { organizationId: tx.organizationId, id: webhookId, agentId: null },
  });
  if (known === 0) throw notFound("webhook");
  const before = readPosition(query.cursor);
  const at = before?.createdAt.toISOString();
  const rows = await tx.$queryRaw<
    DeliveryRow[]
  >`SELECT id, type, state, log, payload, created_at AS "createdAt",
      not_before AS "notBefore" FROM webhook_delivery
    WHERE organization_id = ${tx.organizationId}::uuid AND endpoint_id = ${webhookId}::uuid
      ${before ? Prisma.sql`AND (created_at, id) < (${at}::timestamptz, ${before.id}::uuid)` : Prisma.empty}
    ORDER BY created_at DESC, id DESC LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => row, toDelivery);
}

/** Returns a delivery. Throws `not_found`. */
export async function readDelivery(tx: Tx, deliveryId: string): Promise<WebhookDelivery> {
  // Without those to agents' subscriptions.
  const row = await tx.webhookDelivery.findFirst({
    where: { organizationId: tx.organizationId, id: deliveryId, messageId: null },
  });
  if (!row) throw notFound("delivery");
  return toDelivery(row);
}

const SELECT = Prisma.sql`SELECT e.id, e.url, e.events, e.disabled_reason AS "disabledReason",
    e.failing_since AS "failingSince", e.previous_until AS "previousUntil", e.created_at AS "createdAt",
    last.state AS "lastState", last.created_at AS "lastAt"
  FROM webhook_endpoint e LEFT JOIN LATERAL (SELECT d.state, d.created_at FROM webhook_delivery d
    WHERE d.organization_id = e.organization_id AND d.endpoint_id = e.id
    ORDER BY d.created_at DESC, d.id DESC LIMIT 1) last ON true`;

interface WebhookRow {
  id: string;
  url: string;
  events: string[];
  disabledReason: string | null;
  failingSince: Date | null;
  previousUntil: Date | null;
  createdAt: Date;
  lastState: string | null;
  lastAt: Date | null;
}

const stateSchema = webhookDeliverySchema.shape.state;

function toWebhook(row: WebhookRow): Webhook {
  const { id, url, failingSince, previousUntil, createdAt, lastState, lastAt } = row;
  const disabledReason = disabledReasonSchema.nullable().parse(row.disabledReason);
  return {
    id,
    url,
    events: z.array(webhookEventSchema).parse(row.events),
    enabled: disabledReason === null,
    disabledReason,
    failingSince: failingSince?.toISOString() ?? null,
    previousSecretUntil: previousUntil && previousUntil > new Date() ? previousUntil.toISOString() : null,
    createdAt: createdAt.toISOString(),
    lastDelivery:
      lastState === null || lastAt === null
        ? null
        : { state: stateSchema.parse(lastState), at: lastAt.toISOString() },
  };
}

interface DeliveryRow {
  id: string;
  type: string;
  state: string;
  log: unknown;
  payload: string;
  createdAt: Date;
  notBefore: Date;
}

function toDelivery({ id, type, state, log, payload, createdAt, notBefore }: DeliveryRow): WebhookDelivery {
  return {
    id,
    type,
    state: stateSchema.parse(state),
    createdAt: createdAt.toISOString(),
    nextAttemptAt: state === "pending" ? notBefore.toISOString() : null,
    attempts: z.array(attemptSchema).parse(log),
    payload: JSON.parse(payload),
  };
}
