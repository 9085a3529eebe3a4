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
import { reading } from "@/lib/web/client/base/reading.ts";

/** The policy. Not read again by itself: whoever edits it saves over the version that was read. */
export function policy() {
  return reading<SavedPolicy>(["policy"], "/api/v1/policy", {
    staleTime: 60_000,
    refetchInterval: false,
  });
}

export function policyVersions() {
  return reading<PolicyVersions>(["policy", "versions"], "/api/v1/policy/versions");
}

/** A version, and what it changed. It stays as it is. */
export function policyVersion(version: number) {
  return reading<PolicyVersion>(["policy", "versions", version], `/api/v1/policy/versions/${version}`);
}

/** Who could vote now. */
export function policyDeciders() {
  return reading<Deciders>(["policy", "deciders"], "/api/v1/policy/deciders");
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
  return reading<PolicyProposals>(["policy", "proposals"], "/api/v1/policy/proposals");
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
  return reading<Groups>(["policy", "groups"], "/api/v1/groups");
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
