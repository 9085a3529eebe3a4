import { queryOptions } from "@tanstack/react-query";
import type { ServerConnection } from "@/lib/servers/connections/connection-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { serverKeys } from "@/lib/web/client/server-keys.ts";

/** The caller's own connection to a server, and the shared one. */
export function serverConnections(id: string) {
  return queryOptions({
    queryKey: [...serverKeys.server(id), "connections"] as const,
    queryFn: async ({ signal }) =>
      (await api.get<{ items: ServerConnection[] }>(`/api/v1/servers/${id}/connections`, signal)).items,
  });
}
