import { queryOptions } from "@tanstack/react-query";
import { api } from "@/components/api/client.ts";
import { serverKeys } from "@/components/api/server-keys.ts";
import type { ServerConnection } from "@/lib/connections/schema.ts";

/** The caller's own connection to a server, and the shared one. */
export function serverConnections(id: string) {
  return queryOptions({
    queryKey: [...serverKeys.server(id), "connections"] as const,
    queryFn: async ({ signal }) =>
      (await api.get<{ items: ServerConnection[] }>(`/api/v1/servers/${id}/connections`, signal)).items,
  });
}
