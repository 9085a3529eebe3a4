import { queryOptions } from "@tanstack/react-query";
import { api } from "@/lib/api-client/base/client.ts";
import type { PolicyVersions, SavedPolicy } from "@/lib/policy/schema.ts";

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

/** Saves over a version. Refused with `version_changed` if somebody else has saved meanwhile. */
export function savePolicy(version: number, given: unknown): Promise<SavedPolicy> {
  return api.put<SavedPolicy>("/api/v1/policy", given, { headers: { "if-match": `"${version}"` } });
}
