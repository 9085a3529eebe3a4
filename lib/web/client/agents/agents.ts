import { queryOptions } from "@tanstack/react-query";
import type { Agent } from "@/lib/agents/agent-schema.ts";
import type { Page } from "@/lib/base/page.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** Hints about agents invalidate `list` and the agent. */
export const agentKeys = {
  list: ["agents"] as const,
  agent: (id: string) => ["agent", id] as const,
};

/** The first 200 agents. */
export function agentList() {
  return queryOptions({
    queryKey: agentKeys.list,
    queryFn: ({ signal }) =>
      api.get<Page<Agent>>(`/api/v1/agent-credentials${query({ limit: 200 })}`, signal),
  });
}

export function agentDetail(id: string) {
  return queryOptions({
    queryKey: agentKeys.agent(id),
    queryFn: ({ signal }) => api.get<Agent>(`/api/v1/agent-credentials/${id}`, signal),
  });
}
