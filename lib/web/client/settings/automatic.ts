import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { AutomaticDecision, AutomaticState } from "@/lib/requests/automatic/automatic-answer-schema.ts";
import type { ReplayLine } from "@/lib/requests/replay/replay-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** Below the policy's key: whatever changes the policy changes what is known of its rules. */
const KEY = ["policy", "automatic"] as const;

/** Whether automatic answers are stopped, and the record of each rule. */
export function automaticState() {
  return queryOptions({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<AutomaticState>("/api/v1/policy/automatic", signal),
    // Rules answer while somebody looks.
    refetchInterval: 15_000,
  });
}

/** Disagreements that are listed. */
const LISTED = 100;

/** Where people decided otherwise than a rule, newest first. */
export function automaticDisagreements(rule: string) {
  return queryOptions({
    queryKey: [...KEY, "disagreements", rule] as const,
    queryFn: ({ signal }) =>
      api.get<Page<AutomaticDecision>>(
        `/api/v1/policy/automatic/decisions${query({ rule, outcome: "disagreed", limit: LISTED })}`,
        signal,
      ),
  });
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
