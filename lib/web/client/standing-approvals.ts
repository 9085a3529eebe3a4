import type { Page } from "@/lib/base/page.ts";
import type { StandingApproval } from "@/lib/requests/standing-approvals/standing-approval-schema.ts";
import { query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

export const standingKey = ["standing-approvals"] as const;

/** The newest 200, of this agent if one is named. */
export function standingApprovals(agentId?: string) {
  return reading<Page<StandingApproval>>(
    [...standingKey, agentId ?? "all"],
    `/api/v1/standing-approvals${query({ limit: 200, agentId })}`,
  );
}
