import type { Agent, TriedHook } from "@/lib/agents/agent-schema.ts";
import type { HookProgram } from "@/lib/agents/hook-programs.ts";
import type { Page } from "@/lib/base/page.ts";
import type { Subscription } from "@/lib/outbound/agent-events/agent-event-schema.ts";
import type { CallRule, CallRules, TriedCalls } from "@/lib/policy/call-rules/call-rule-schema.ts";
import type { StandingApproval } from "@/lib/requests/standing-approvals/standing-approval-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

/** Hints about agents invalidate `list` and the agent. */
export const agentKeys = {
  list: ["agents"] as const,
  agent: (id: string) => ["agent", id] as const,
  subscriptions: (id: string) => ["agent", id, "subscriptions"] as const,
};

/** The first 200 agents. */
export function agentList() {
  return reading<Page<Agent>>(agentKeys.list, `/api/v1/agent-credentials${query({ limit: 200 })}`);
}

export function agentDetail(id: string) {
  return reading<Agent>(agentKeys.agent(id), `/api/v1/agent-credentials/${id}`);
}

/** Where events of the agent's tasks are sent. */
export function agentSubscriptions(id: string) {
  return reading<{ items: Subscription[] }>(
    agentKeys.subscriptions(id),
    `/api/v1/agent-credentials/${id}/subscriptions`,
  );
}

export function endSubscription(id: string, subscriptionId: string): Promise<void> {
  return api.delete(`/api/v1/agent-credentials/${id}/subscriptions/${subscriptionId}`);
}

/** Asks about a harmless call, as the program's hook would. */
export function tryHook(id: string, program: HookProgram): Promise<TriedHook> {
  return api.post<TriedHook>(`/api/v1/agent-credentials/${id}/try-hook`, { program });
}

/** The rules for calls. Not read again by itself: whoever edits them saves over the version that was read. */
export function callRules() {
  return reading<CallRules>(["call-rules"], "/api/v1/call-rules", {
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

export const standingKey = ["standing-approvals"] as const;

/** The newest 200, of this agent if one is named. */
export function standingApprovals(agentId?: string) {
  return reading<Page<StandingApproval>>(
    [...standingKey, agentId ?? "all"],
    `/api/v1/standing-approvals${query({ limit: 200, agentId })}`,
  );
}
