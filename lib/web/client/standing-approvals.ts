import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { StandingApproval } from "@/lib/requests/standing-approvals/standing-approval-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

export const standingKey = ["standing-approvals"] as const;

/** The newest 200, of this agent if one is named. */
export function standingApprovals(agentId?: string) {
  return queryOptions({
    queryKey: [...standingKey, agentId ?? "all"] as const,
    queryFn: ({ signal }) =>
      api.get<Page<StandingApproval>>(`/api/v1/standing-approvals${query({ limit: 200, agentId })}`, signal),
  });
}
