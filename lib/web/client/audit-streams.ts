import { queryOptions } from "@tanstack/react-query";
import type { AuditStream } from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** Refetch interval while lines are on their way, and otherwise. */
const SOON_MS = 2_000;
const LATER_MS = 10_000;

export const auditStreamKeys = { all: ["audit-streams"] as const };

export function auditStreamList() {
  return queryOptions({
    queryKey: [...auditStreamKeys.all, "list"] as const,
    queryFn: ({ signal }) => api.get<{ items: AuditStream[] }>("/api/v1/audit-streams", signal),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ behind, paused }) => behind > 0 && !paused) ? SOON_MS : LATER_MS,
  });
}
