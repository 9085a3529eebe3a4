import { queryOptions } from "@tanstack/react-query";
import type {
  Directory,
  DirectoryGroup,
  MakeDirectoryToken,
  MappedRole,
  UpdateDirectory,
} from "@/lib/people/directory/directory-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** Refetch interval: a provider that is being set up shows its first calls. */
const AGAIN_MS = 15_000;

export const directoryKeys = { all: ["directory"] as const };

export function directoryState() {
  return queryOptions({
    queryKey: [...directoryKeys.all, "state"] as const,
    queryFn: ({ signal }) => api.get<Directory>("/api/v1/directory", signal),
    refetchInterval: AGAIN_MS,
  });
}

export function directoryGroupList() {
  return queryOptions({
    queryKey: [...directoryKeys.all, "groups"] as const,
    queryFn: ({ signal }) => api.get<{ items: DirectoryGroup[] }>("/api/v1/directory/groups", signal),
    refetchInterval: AGAIN_MS,
  });
}

export const directoryApi = {
  makeToken: (input: MakeDirectoryToken) => api.post<{ secret: string }>("/api/v1/directory/token", input),
  revokeToken: () => api.delete("/api/v1/directory/token"),
  update: (change: UpdateDirectory) => api.patch<Directory>("/api/v1/directory", change),
  mapGroup: ({ id, role }: { id: string; role: MappedRole | null }) =>
    api.patch<DirectoryGroup>(`/api/v1/directory/groups/${id}`, { role }),
};
