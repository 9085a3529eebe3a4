"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { RecentArguments as Recent } from "@/lib/tasks/task-schema.ts";
import { shorten } from "@/lib/text/labels.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import type { Json } from "./arguments/schema-tree.ts";

/** Keyed apart from tasks: the arguments are suggestions for the form. */
function recentArguments(serverId: string, tool: string) {
  return queryOptions({
    queryKey: ["recent-arguments", serverId, tool] as const,
    queryFn: ({ signal }) =>
      api.get<{ items: Recent[] }>(`/api/v1/tasks/recent-arguments${query({ serverId, tool })}`, signal),
    refetchInterval: false,
  });
}

/** The caller's recent arguments for the tool; nothing if there are none. */
export function RecentArguments({
  serverId,
  tool,
  onFill,
}: {
  serverId: string;
  tool: string;
  onFill: (values: Json) => void;
}) {
  const recent = useQuery(recentArguments(serverId, tool));
  const items = recent.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <details className="group">
      <summary className="flex w-fit cursor-pointer items-center gap-2 rounded-md text-[13px] text-muted hover:text-ink max-md:min-h-11">
        <History aria-hidden className="size-4" strokeWidth={1.75} />
        Recent arguments ({items.length})
      </summary>
      <ul className="mt-2 flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
        {items.map((item, at) => (
          <li key={item.taskId} className="flex items-center gap-3 px-3.5 py-2">
            <span className="min-w-0 flex-1">
              <span className="flex gap-2">
                <span className="truncate font-medium">{item.label ?? "Without a name"}</span>
                <TimeAgo at={item.at} className="shrink-0 text-muted" />
              </span>
              <span className="block truncate font-mono text-muted text-xs">
                {shorten(JSON.stringify(item.arguments), 160)}
              </span>
            </span>
            <Button
              size="sm"
              aria-label={`Fill in ${item.label ?? "call"} (${at + 1} of ${items.length})`}
              onClick={() => onFill(item.arguments)}
            >
              Fill in
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
