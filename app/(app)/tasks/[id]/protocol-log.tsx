"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowDownLeft, ArrowUpRight } from "lucide-react";
import { taskMessages } from "@/components/api/task-messages.ts";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { Clock } from "@/components/time/time.tsx";
import { TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";

/** Every message of the task in both directions, for those who build servers. Secrets are removed before. */
export function ProtocolLog({ id }: { id: string }) {
  const messages = useQuery(taskMessages(id));
  if (messages.isError) {
    return <LoadFailure what="The protocol" error={messages.error} onRetry={() => void messages.refetch()} />;
  }
  if (!messages.data) return <TimelineSkeleton />;
  if (messages.data.items.length === 0)
    return <p className="text-muted">No message has been exchanged so far.</p>;
  return (
    <div className="flex flex-col gap-2">
      <ol className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
        {messages.data.items.map((message, index) => {
          const out = message.direction === "out";
          const Icon = out ? ArrowUpRight : ArrowDownLeft;
          return (
            // Messages are only ever added at the end.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={index}>
              <details>
                <summary className="flex min-h-9 list-none max-md:min-h-11 items-center gap-3 px-3 py-1.5 hover:bg-sunken focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
                  <Icon
                    aria-hidden
                    className={out ? "size-4 text-accent" : "size-4 text-muted"}
                    strokeWidth={1.75}
                  />
                  <span className="sr-only">{out ? "sent" : "received"}</span>
                  <span className="min-w-0 flex-1 truncate font-mono text-xs">{message.method}</span>
                  <Clock at={message.at} className="shrink-0 text-muted text-xs" />
                </summary>
                <div className="px-3 pb-3">
                  <JsonTree value={message.body} open={3} />
                </div>
              </details>
            </li>
          );
        })}
      </ol>
      {messages.data.truncated && <p className="text-muted">There is more than is shown here.</p>}
    </div>
  );
}
