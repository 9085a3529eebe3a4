import { queryOptions } from "@tanstack/react-query";
import type { Preview, Retention } from "@/lib/history/retention/retention-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** How long the organization keeps ended tasks, messages and payloads. */
export function retention() {
  return queryOptions({
    queryKey: ["retention"] as const,
    queryFn: ({ signal }) => api.get<Retention>("/api/v1/organization/retention", signal),
    refetchInterval: false,
  });
}

/** The number of rows that these retention periods would delete at once. */
export function retentionPreview(wanted: Retention) {
  const asked = Object.entries(wanted).map(([kind, days]) => [kind, days ?? "forever"]);
  return queryOptions({
    queryKey: ["retention", "preview", wanted] as const,
    queryFn: ({ signal }) =>
      api.get<Preview>(`/api/v1/organization/retention/preview${query(Object.fromEntries(asked))}`, signal),
    refetchInterval: false,
  });
}
