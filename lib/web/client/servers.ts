import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { Range, ServerStats } from "@/lib/servers/call-statistics/call-statistics-schema.ts";
import type { ServerConnection } from "@/lib/servers/connections/connection-schema.ts";
import type {
  Recipe,
  RecipeVersion,
  TriedRecipe,
  TryRecipeInput,
} from "@/lib/servers/recipes/recipe-schema.ts";
import type {
  AllowedHosts,
  Server,
  ServerDetail,
  ToolList,
  ToolVersion,
} from "@/lib/servers/server-schema.ts";
import type { FoundTask } from "@/lib/tasks/found-task-schema.ts";
import { ApiError, api, query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

export const serverKeys = {
  all: ["servers"] as const,
  list: ["servers", "list"] as const,
  allowedHosts: ["allowed-hosts"] as const,
  server: (id: string) => ["servers", "server", id] as const,
};

export const SERVERS_SHOWN = 200;

export function serverList() {
  return reading<Page<Server>>(serverKeys.list, `/api/v1/servers${query({ limit: SERVERS_SHOWN })}`);
}

/** Private addresses that the installation's operator allowed by a press. */
export function allowedHosts() {
  return reading<AllowedHosts>(serverKeys.allowedHosts, "/api/v1/allowed-hosts", {
    refetchInterval: false,
  });
}

export function serverDetail(id: string) {
  return reading<ServerDetail>(serverKeys.server(id), `/api/v1/servers/${id}`);
}

export function serverTools(id: string) {
  return reading<ToolList>(
    [...serverKeys.server(id), "tools"],
    `/api/v1/servers/${id}/tools${query({ limit: 200 })}`,
    {
      // Calls the remote server, so half-minute refetches and retries would be too costly.
      refetchInterval: false,
      staleTime: 60_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError),
    },
  );
}

/** The tools as the server listed them last. Answers at once, however long the server takes. */
export function seenServerTools(id: string) {
  return reading<ToolList>(
    [...serverKeys.server(id), "tools", "as-seen"],
    `/api/v1/servers/${id}/tools${query({ limit: 200, asSeen: "true" })}`,
    {
      refetchInterval: false,
    },
  );
}

export function serverStats(id: string, range: Range) {
  return reading<ServerStats>(
    [...serverKeys.server(id), "stats", range],
    `/api/v1/servers/${id}/stats${query({ range })}`,
  );
}

export function toolVersions(id: string, tool: string) {
  return reading<Page<ToolVersion>>(
    [...serverKeys.server(id), "tool-versions", tool],
    `/api/v1/servers/${id}/tool-versions${query({ tool, limit: 50 })}`,
  );
}

/** A version of a tool by its digest; null where Intray does not have its text any more. */
export function toolVersion(id: string, tool: string, digest: string) {
  return queryOptions({
    queryKey: [...serverKeys.server(id), "tool-version", tool, digest] as const,
    queryFn: async ({ signal }) => {
      const page = `/api/v1/servers/${id}/tool-versions${query({ tool, digest })}`;
      return (await api.get<Page<ToolVersion>>(page, signal)).items[0] ?? null;
    },
  });
}

/** The tasks of the server's last listing; listing them again is a person's decision. */
export function foundTasks(id: string) {
  return reading<Page<FoundTask>>(
    [...serverKeys.server(id), "found-tasks"],
    `/api/v1/servers/${id}/found-tasks${query({ limit: 200 })}`,
  );
}

/** The caller's own connection to a server, and the shared one. */
export function serverConnections(id: string) {
  return queryOptions({
    queryKey: [...serverKeys.server(id), "connections"] as const,
    queryFn: async ({ signal }) =>
      (await api.get<{ items: ServerConnection[] }>(`/api/v1/servers/${id}/connections`, signal)).items,
  });
}

/** A server's recipes. Whoever edits one saves over the version that was read. */
export function serverRecipes(id: string) {
  return reading<{ items: RecipeVersion[] }>(
    [...serverKeys.server(id), "recipes"],
    `/api/v1/servers/${id}/recipes`,
  );
}

/** Saves over a version; 0: there is none yet. Refused with `version_changed` if somebody else has saved meanwhile. */
export function saveRecipe(id: string, version: number, recipe: Recipe): Promise<RecipeVersion> {
  return api.put<RecipeVersion>(`/api/v1/servers/${id}/recipes/${recipe.name}`, recipe, {
    headers: { "if-match": `"${version}"` },
  });
}

export function removeRecipe(id: string, name: string): Promise<void> {
  return api.delete(`/api/v1/servers/${id}/recipes/${name}`);
}

export function tryRecipe(
  id: string,
  recipe: Recipe,
  on: Omit<TryRecipeInput, "recipe">,
): Promise<TriedRecipe> {
  return api.post<TriedRecipe>(`/api/v1/servers/${id}/recipes/${recipe.name}/try`, { ...on, recipe });
}
