import { queryOptions } from "@tanstack/react-query";
import type { CallRule, CallRules, TriedCalls } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** The rules for calls. Not read again by itself: whoever edits them saves over the version that was read. */
export function callRules() {
  return queryOptions({
    queryKey: ["call-rules"] as const,
    queryFn: ({ signal }) => api.get<CallRules>("/api/v1/call-rules", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** Saves over a version. Refused with `version_changed` if somebody else has saved meanwhile. */
export function saveCallRules(version: number, rules: CallRule[]): Promise<CallRules> {
  return api.put<CallRules>("/api/v1/call-rules", { rules }, { headers: { "if-match": `"${version}"` } });
}

export function tryCallRules(rules: CallRule[]): Promise<TriedCalls> {
  return api.post<TriedCalls>("/api/v1/call-rules/try", { rules });
}
