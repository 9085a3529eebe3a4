"use client";

import { Card } from "@/components/chart/chart-card.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { Link } from "@/components/ui/link.tsx";
import { agentCallsWords, RANGE_WORDS } from "@/lib/requests/statistics/overview-words.ts";
import type { Overview } from "@/lib/requests/statistics/statistics-schema.ts";

/** How calls of agents were decided in the period. Nothing without a decided call. */
export function AgentCalls({ figures: { agentCalls, range } }: { figures: Overview }) {
  const me = useMe();
  const formats = useFormats();
  const { byRule, byStandingApproval, byPerson, refused } = agentCalls;
  if (byRule + byStandingApproval + byPerson + refused === 0) return null;
  return (
    <Card
      title="Calls of agents"
      note={`At /mcp and by hooks, in ${RANGE_WORDS[range].long}`}
      action={
        me.may("settings:manage") && (
          <Link
            href="/settings/call-rules"
            className="rounded-sm text-accent text-xs hover:underline max-md:py-3.5"
          >
            Call rules
          </Link>
        )
      }
    >
      <p>{agentCallsWords(agentCalls, formats)}</p>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4">
        {[
          { label: "Allowed by a rule", value: byRule, note: "or by the agent’s grant" },
          { label: "Approved for a while", value: byStandingApproval, note: "by an earlier approval" },
          { label: "Approved by a person", value: byPerson, note: "each on its own" },
          { label: "Refused", value: refused, note: "by a rule, a person, or out of time" },
        ].map(({ label, value, note }) => (
          <div key={label} className="flex min-w-0 flex-col gap-0.5">
            <dt className="text-muted text-xs">{label}</dt>
            <dd className="font-semibold text-lg tabular-nums tracking-tight">{formats.number(value)}</dd>
            <dd className="text-muted text-xs">{note}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
