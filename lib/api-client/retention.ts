import { queryOptions } from "@tanstack/react-query";
import { api, query } from "@/lib/api-client/base/client.ts";
import type { Preview, Retention } from "@/lib/retention/schema.ts";

/** How long the organization keeps what is over. */
export function retention() {
  return queryOptions({
    queryKey: ["retention"] as const,
    queryFn: ({ signal }) => api.get<Retention>("/api/v1/organization/retention", signal),
    refetchInterval: false,
  });
}

/** What would go at once, were it kept for so long. */
export function retentionPreview(wanted: Retention) {
  const asked = Object.entries(wanted).map(([kind, days]) => [kind, days ?? "forever"]);
  return queryOptions({
    queryKey: ["retention", "preview", wanted] as const,
    queryFn: ({ signal }) =>
      api.get<Preview>(`/api/v1/organization/retention/preview${query(Object.fromEntries(asked))}`, signal),
    refetchInterval: false,
  });
}
