"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Agent, AgentGrant } from "@/lib/agents/agent-schema.ts";
import { toGrantInput } from "@/lib/agents/agent-words.ts";
import { BEFORE_LABELS } from "@/lib/policy/call-rules/call-rule-words.ts";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { ChangedTool } from "./changed-tool.tsx";

/** What an agent may call; calls of tools that changed require approval until an admin approves the current version. */
export function AgentGrants({ agent, onGrant }: { agent: Agent; onGrant: () => void }) {
  const client = useQueryClient();
  const accept = useMutation({
    mutationFn: (accepted: AgentGrant) =>
      api.patch<Agent>(`/api/v1/agent-credentials/${agent.id}`, {
        grants: agent.grants.map((grant) => ({
          ...toGrantInput(grant),
          ...(grant === accepted && { accept: grant.changed.map(({ digest }) => digest) }),
        })),
      }),
    onSuccess: (changed) => {
      client.setQueryData(agentKeys.agent(agent.id), changed);
      void client.invalidateQueries({ queryKey: agentKeys.list });
    },
  });
  return (
    <Part title="Tools it may call">
      {accept.error && <Notice live tone="bad" title={errorSentence(accept.error)} />}
      {agent.grants.length === 0 ? (
        <div className="flex flex-wrap items-center gap-3">
          <p className="text-muted">None yet. It can ask people, and look at its own tasks.</p>
          <Button size="sm" onClick={onGrant}>
            Grant tools…
          </Button>
        </div>
      ) : (
        <ul
          aria-label="Tools it may call"
          className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel"
        >
          {agent.grants.map((grant) => (
            <li key={`${grant.serverId} ${grant.tool ?? ""}`} className="flex flex-col gap-2 px-4 py-3">
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="min-w-0 flex-1 break-words max-md:basis-full">
                  {grant.tool === null ? (
                    "All tools"
                  ) : (
                    <span className="break-all font-mono text-[13px]">{grant.tool}</span>
                  )}
                  <span className="text-muted"> of </span>
                  <Link href={`/servers/${grant.serverId}`} className="underline-offset-4 hover:underline">
                    {grant.serverName}
                  </Link>
                </span>
                <span className="text-[13px] text-muted">
                  If no call rule matches: {BEFORE_LABELS[grant.before ?? "allow"]}
                </span>
              </span>
              {grant.changed.length > 0 && (
                <Changed grant={grant} pending={accept.isPending} onAccept={() => accept.mutate(grant)} />
              )}
            </li>
          ))}
        </ul>
      )}
      <p className="text-[13px] text-muted">
        Each call of a tool that changed since it was granted requires approval, until you approve the tool’s
        current version here.
      </p>
    </Part>
  );
}

function Changed({
  grant: { changed, serverId },
  pending,
  onAccept,
}: {
  grant: AgentGrant;
  pending: boolean;
  onAccept: () => void;
}) {
  return (
    <Notice
      tone="wait"
      title="Changed since it was granted: each call requires approval"
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" disabled={pending} onClick={onAccept}>
            {changed.length === 1 ? "Approve current version" : `Approve ${changed.length} current versions`}
          </Button>
          <Button size="sm" variant="ghost" asChild>
            <Link href={`/servers/${serverId}`}>View server</Link>
          </Button>
        </span>
      }
    >
      <ul className="flex flex-col gap-1">
        {changed.map((each) => (
          // Another version starts anew: what was unfolded said something else.
          <li key={`${each.tool} ${each.digest}`} className="min-w-0">
            <ChangedTool serverId={serverId} changed={each} unfolded={changed.length <= UNFOLDED} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Changes of more tools at a time are unfolded one by one: each is read from the server. */
const UNFOLDED = 3;

/** A part of the page, under its heading. */
export function Part({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id={id} className="font-medium text-[13px] text-muted">
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}
