import { queryOptions } from "@tanstack/react-query";
import type { CreateGroup, Group, Groups, UpdateGroup } from "@/lib/policy/groups/group-schema.ts";
import type {
  Deciders,
  PolicyCheck,
  PolicyVersion,
  PolicyVersions,
  SavedPolicy,
} from "@/lib/policy/policy-schema.ts";
import type { PolicyProposals, Proposed } from "@/lib/policy/proposals/proposal-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** The policy. Not read again by itself: whoever edits it saves over the version that was read. */
export function policy() {
  return queryOptions({
    queryKey: ["policy"] as const,
    queryFn: ({ signal }) => api.get<SavedPolicy>("/api/v1/policy", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

export function policyVersions() {
  return queryOptions({
    queryKey: ["policy", "versions"] as const,
    queryFn: ({ signal }) => api.get<PolicyVersions>("/api/v1/policy/versions", signal),
  });
}

/** A version, and what it changed. It stays as it is. */
export function policyVersion(version: number) {
  return queryOptions({
    queryKey: ["policy", "versions", version] as const,
    queryFn: ({ signal }) => api.get<PolicyVersion>(`/api/v1/policy/versions/${version}`, signal),
  });
}

/** Who could vote now. */
export function policyDeciders() {
  return queryOptions({
    queryKey: ["policy", "deciders"] as const,
    queryFn: ({ signal }) => api.get<Deciders>("/api/v1/policy/deciders", signal),
  });
}

/** What would keep a policy, as JSON, from being saved. */
export function policyCheck(given: string) {
  return queryOptions({
    queryKey: ["policy", "check", given] as const,
    queryFn: () => api.post<PolicyCheck>("/api/v1/policy/check", JSON.parse(given)),
    // What is typed next is another one.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
}

/** Changes that wait for a second admin. */
export function policyProposals() {
  return queryOptions({
    queryKey: ["policy", "proposals"] as const,
    queryFn: ({ signal }) => api.get<PolicyProposals>("/api/v1/policy/proposals", signal),
  });
}

export function approvePolicyProposal(id: string): Promise<SavedPolicy> {
  return api.post<SavedPolicy>(`/api/v1/policy/proposals/${id}/approve`);
}

export function withdrawPolicyProposal(id: string): Promise<void> {
  return api.post<void>(`/api/v1/policy/proposals/${id}/withdraw`);
}

/**
 * Saves over a version, or proposes it where a second admin has to approve. Refused with `version_changed` if somebody else has
 * saved meanwhile. `acknowledge`: names of automatic rules that somebody has typed to let them go live.
 */
export function savePolicy(
  version: number,
  given: object,
  acknowledge?: string[],
): Promise<SavedPolicy | Proposed> {
  return api.put<SavedPolicy | Proposed>(
    "/api/v1/policy",
    { ...given, acknowledge },
    { headers: { "if-match": `"${version}"` } },
  );
}

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
