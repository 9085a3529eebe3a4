"use client";

import { StandingApprovals } from "@/components/request/standing-approvals.tsx";
import { Section } from "../section.tsx";

/** Calls of agents that people approved for a while: which pass, how often they did, and who may stop them. */
export function StandingApprovalsScreen() {
  return (
    <Section
      title="Approvals for a while"
      description="Agents can make these calls again without asking. Call rules that deny a call, and the policy, still come first."
    >
      <StandingApprovals />
    </Section>
  );
}
