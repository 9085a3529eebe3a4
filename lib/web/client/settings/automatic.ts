import type { Page } from "@/lib/base/page.ts";
import type { AutomaticDecision, AutomaticState } from "@/lib/requests/automatic/automatic-answer-schema.ts";
import type { ReplayLine } from "@/lib/requests/replay/replay-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

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
