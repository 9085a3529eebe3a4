"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { Subscription } from "@/lib/outbound/agent-events/agent-event-schema.ts";
import { agentKeys, agentSubscriptions, endSubscription } from "@/lib/web/client/agents.ts";
import { Part } from "./agent-grants.tsx";

const WORDS: Record<Subscription["event"], string> = {
  "task.ended": "A task has ended",
  "task.input_required": "A task waits for a person",
  "request.ended": "A request has ended",
};

/** Where events of the agent's tasks are sent, as it asked at /mcp. Nothing without a subscription. */
export function EventSubscriptions({ agentId, name }: { agentId: string; name: string }) {
  const list = useQuery(agentSubscriptions(agentId));
  const [ending, setEnding] = useState<Subscription | null>(null);
  if (list.isError && !list.data)
    return (
      <LoadFailure what="The event subscriptions" error={list.error} onRetry={() => void list.refetch()} />
    );
  if (!list.data || (list.data.items.length === 0 && ending === null)) return null;
  return (
    <Part title="Event subscriptions">
      <ul
        aria-label="Event subscriptions"
        className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel"
      >
        {list.data.items.map((subscription) => (
          <li
            key={subscription.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-[13px]"
          >
            <span className="min-w-0 flex-1 break-words max-md:basis-full">
              {WORDS[subscription.event]}
              <span className="text-muted">
                {" "}
                · sent to <span className="font-mono">{subscription.host}</span> · until{" "}
                <Clock at={subscription.expiresAt} />
              </span>
              {subscription.taskId && (
                <>
                  {" "}
                  ·{" "}
                  <Link href={`/tasks/${subscription.taskId}`} className="text-accent hover:underline">
                    only one task
                  </Link>
                </>
              )}
              {subscription.failingSince && (
                <span className="font-medium text-bad">
                  {" "}
                  · failing since <TimeAgo at={subscription.failingSince} />
                </span>
              )}
            </span>
            <Button
              size="sm"
              aria-label={`End the subscription to ${subscription.host}`}
              onClick={() => setEnding(subscription)}
            >
              End…
            </Button>
          </li>
        ))}
      </ul>
      {ending && (
        <ConfirmChange
          keys={[agentKeys.subscriptions(agentId)]}
          call={() => endSubscription(agentId, ending.id)}
          done="The subscription has ended"
          onClose={() => setEnding(null)}
          title="End this subscription?"
          description={`Intray sends no more events to ${ending.host}, and tells it once that the subscription has ended. ${name} may subscribe again: to prevent that, revoke the agent.`}
          confirm="End subscription"
          destructive
        />
      )}
    </Part>
  );
}
