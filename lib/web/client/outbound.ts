import type { Page } from "@/lib/base/page.ts";
import type { AuditStream, AuditStreamTest } from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import type { Slack } from "@/lib/outbound/slack/slack-schema.ts";
import type { Teams } from "@/lib/outbound/teams/teams-schema.ts";
import type { Webhook, WebhookDelivery } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { reading, readingPages } from "@/lib/web/client/base/reading.ts";

/** Refetch interval while a delivery or a line is on its way, since that ends soon. */
const SOON_MS = 2_000;
/** Refetch interval of audit streams while no line is on its way, and of Slack and Teams. */
const LATER_MS = 10_000;

export const webhookKeys = { all: ["webhooks"] as const };

export function webhookList() {
  return reading<Page<Webhook>>([...webhookKeys.all, "list"], `/api/v1/webhooks${query({ limit: 200 })}`, {
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ lastDelivery }) => lastDelivery?.state === "pending") ? SOON_MS : 30_000,
  });
}

export function webhookDeliveries(id: string) {
  return readingPages<Page<WebhookDelivery>>(
    [...webhookKeys.all, "deliveries", id],
    (cursor) => `/api/v1/webhooks/${id}/deliveries${query({ limit: 20, cursor })}`,
    {
      refetchInterval: ({ state }) =>
        state.data?.pages.some((page) => page.items.some((each) => each.state === "pending"))
          ? SOON_MS
          : 30_000,
    },
  );
}

export const webhookApi = {
  update: (id: string, change: object) => api.patch(`/api/v1/webhooks/${id}`, change),
  remove: (id: string) => api.delete(`/api/v1/webhooks/${id}`),
  rotate: (id: string) => api.post<{ secret: string }>(`/api/v1/webhooks/${id}/rotate-secret`),
  test: (id: string) => api.post(`/api/v1/webhooks/${id}/test`),
  resend: (deliveryId: string) => api.post(`/api/v1/webhook-deliveries/${deliveryId}/resend`),
};

export const SLACK_PATH = "/api/v1/organization/slack";

export function slackApp() {
  return reading<Slack>(["slack"], SLACK_PATH, {
    refetchInterval: LATER_MS,
  });
}

export const TEAMS_PATH = "/api/v1/organization/teams";

export function teamsApp() {
  return reading<Teams>(["teams"], TEAMS_PATH, {
    refetchInterval: LATER_MS,
  });
}

export const auditStreamKeys = { all: ["audit-streams"] as const };

export function auditStreamList() {
  return reading<{ items: AuditStream[] }>([...auditStreamKeys.all, "list"], "/api/v1/audit-streams", {
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ behind, paused }) => behind > 0 && !paused) ? SOON_MS : LATER_MS,
  });
}

export const auditStreamApi = {
  update: (id: string, change: object) => api.patch(`/api/v1/audit-streams/${id}`, change),
  remove: (id: string) => api.delete(`/api/v1/audit-streams/${id}`),
  test: (id: string) => api.post<AuditStreamTest>(`/api/v1/audit-streams/${id}/test`),
};
