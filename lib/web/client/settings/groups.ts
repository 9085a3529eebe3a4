import { queryOptions } from "@tanstack/react-query";
import type { CreateGroup, Group, Groups, UpdateGroup } from "@/lib/policy/groups/group-schema.ts";
import type { Proposed } from "@/lib/policy/proposals/proposal-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** The groups that a policy can name. Its key is below the policy's, whose changes are theirs too. */
export function groups() {
  return queryOptions({
    queryKey: ["policy", "groups"] as const,
    queryFn: ({ signal }) => api.get<Groups>("/api/v1/groups", signal),
  });
}

/** Makes a group, or proposes it where a second admin has to approve. */
export function createGroup(group: CreateGroup): Promise<Group | Proposed> {
  return api.post<Group | Proposed>("/api/v1/groups", group);
}

/** As `createGroup`. */
export function changeGroup(id: string, change: UpdateGroup): Promise<Group | Proposed> {
  return api.patch<Group | Proposed>(`/api/v1/groups/${id}`, change);
}

/** As `createGroup`; `proposalId` null: it is deleted. */
export function deleteGroup(id: string): Promise<{ proposalId: string | null }> {
  return api.delete<{ proposalId: string | null }>(`/api/v1/groups/${id}`);
}
