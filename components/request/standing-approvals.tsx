"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Timer } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { StandingApproval } from "@/lib/requests/standing-approvals/standing-approval-schema.ts";
import { likeWords, standingLabel, usesWords } from "@/lib/requests/standing-approvals/standing-words.ts";
import { standingApprovals, standingKey } from "@/lib/web/client/agents.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";

/** The approvals for a while, of an agent or of all, each with what it lets pass and how often it did. */
export function StandingApprovals({ agentId }: { agentId?: string }) {
  const list = useQuery(standingApprovals(agentId));
  if (!list.data) return <Unread what="The approvals" query={list} className="h-16" />;
  if (list.data.items.length === 0)
    return (
      <p className="text-muted">None. A call of an agent can be approved for a while from its request.</p>
    );
  return (
    <ul
      aria-label="Approvals for a while"
      className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel"
    >
      {list.data.items.map((standing) => (
        <Item key={standing.id} standing={standing} />
      ))}
    </ul>
  );
}

/** Also of one that no call can use now: a new grant, or the tool as it was, would let calls pass again. */
const inForce = ({ state }: StandingApproval) => ["active", "pending", "unusable"].includes(state);

function Item({ standing }: { standing: StandingApproval }) {
  const me = useMe();
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.delete(`/api/v1/standing-approvals/${standing.id}`),
    onSuccess: () => toast("Revoked. Calls that were not sent yet are cancelled."),
    onSettled: () => client.invalidateQueries({ queryKey: standingKey }),
  });
  const { by, agent, tool, server } = standing;
  const mayRevoke = by.id === me.user.id || me.may("agents:manage");
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 break-words max-md:basis-full">
          <Link
            href={`/inbox/${standing.inputRequestId}?tab=done`}
            className="underline-offset-4 hover:underline"
          >
            <PlainText text={tool} />
          </Link>{" "}
          <span className="text-muted">
            of <PlainText text={server.name} /> by <PlainText text={agent.name} />
          </span>
        </span>
        <Badge tone={standing.state === "active" ? "good" : "neutral"} icon={Timer}>
          {standingLabel(standing)}
        </Badge>
        {inForce(standing) && mayRevoke && (
          <Button size="sm" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        )}
      </div>
      <p className="text-muted">
        <PlainText text={likeWords(standing)} /> · {usesWords(standing)} · given by {actorWords(by)}{" "}
        <TimeAgo at={standing.createdAt} />
        {inForce(standing) && (
          <>
            {" "}
            · until <Clock at={standing.expiresAt} />
          </>
        )}
      </p>
      {standing.comment && (
        <p>
          “<PlainText text={standing.comment} />”
        </p>
      )}
      {revoke.error && <Notice live tone="bad" title={errorSentence(revoke.error)} />}
    </li>
  );
}
