import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { CreateGroup, Group, Groups, UpdateGroup } from "@/lib/policy/groups/group-schema.ts";
import type {
  Deciders,
  PolicyCheck,
  PolicyVersion,
  PolicyVersions,
  SavedPolicy,
} from "@/lib/policy/policy-schema.ts";
import type { PolicyProposals, Proposed } from "@/lib/policy/proposals/proposal-schema.ts";
import type { AutomaticDecision, AutomaticState } from "@/lib/requests/automatic/automatic-answer-schema.ts";
import type { ReplayLine } from "@/lib/requests/replay/replay-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
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

/** Below the policy's key: whatever changes the policy changes what is known of its rules. */
const KEY = ["policy", "automatic"] as const;

/** Whether automatic answers are stopped, and the record of each rule. */
export function automaticState() {
  return reading<AutomaticState>(KEY, "/api/v1/policy/automatic", {
    // Rules answer while somebody looks.
    refetchInterval: 15_000,
  });
}

/** Disagreements that are listed. */
const LISTED = 100;

/** Where people decided otherwise than a rule, newest first. */
export function automaticDisagreements(rule: string) {
  return reading<Page<AutomaticDecision>>(
    [...KEY, "disagreements", rule],
    `/api/v1/policy/automatic/decisions${query({ rule, outcome: "disagreed", limit: LISTED })}`,
  );
}

export function stopAutomatic(): Promise<{ takenBack: number }> {
  return api.post<{ takenBack: number }>("/api/v1/policy/automatic/stop");
}

export function resumeAutomatic(): Promise<void> {
  return api.post<void>("/api/v1/policy/automatic/resume");
}

/** Replays a policy, saved or not, on what people decided lately. Yields the lines as they come. */
export function replayPolicy(policy: unknown, signal: AbortSignal): AsyncGenerator<ReplayLine, void> {
  return api.lines<ReplayLine>("/api/v1/policy/replay", { policy }, signal);
}
