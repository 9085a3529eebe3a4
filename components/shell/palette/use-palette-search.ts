"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Inbox, ListChecks, Server as ServerIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { matching, type PaletteItem } from "@/components/shell/palette/palette-items.ts";
import type { Page } from "@/lib/base/page.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { requestLabel } from "@/lib/requests/words/request-labels.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { STATE_LABELS } from "@/lib/tasks/words/state-labels.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { serverList } from "@/lib/web/client/servers.ts";

/** How long after the last key the search starts. */
const PAUSE_MS = 200;
const SHORTEST = 2;
const MOST = 5;

type Found = Omit<PaletteItem, "run"> & { href: string };

/**
 * Searches requests, tasks and servers on the server. The previous results stay until the next ones arrive.
 */
export function usePaletteSearch(text: string) {
  const q = usePause(text.trim());
  const asked = q.length >= SHORTEST;
  // Both lists come in one query, so that late results cannot move the item that Enter would choose.
  const search = useQuery({
    queryKey: ["palette", q],
    queryFn: async ({ signal }) => {
      const asking = { q, limit: MOST };
      const [requests, tasks] = await Promise.all([
        api.get<Page<InputRequestSummary>>(
          `/api/v1/input-requests${query({ ...asking, order: "newest" })}`,
          signal,
        ),
        api.get<Page<TaskSummary>>(`/api/v1/tasks${query(asking)}`, signal),
      ]);
      return [...requests.items.map(requestItem), ...tasks.items.map(taskItem)];
    },
    enabled: asked,
    refetchInterval: false,
    placeholderData: keepPreviousData,
  });
  const servers = useQuery(serverList());

  const items: Found[] = asked
    ? [...(search.data ?? []), ...matching((servers.data?.items ?? []).map(serverItem), q).slice(0, MOST)]
    : [];
  return {
    items,
    pending: text.trim() !== q || (asked && search.isFetching),
    failed: asked && search.isError,
  };
}

function requestItem(request: InputRequestSummary): Found {
  return {
    id: `request:${request.id}`,
    label: request.message,
    group: "Requests",
    icon: Inbox,
    detail: `${request.label ?? request.tool} · ${requestLabel(request)}`,
    href: `/inbox/${request.id}`,
  };
}

function taskItem(task: TaskSummary): Found {
  return {
    id: `task:${task.id}`,
    label: task.label ? `${task.tool} · ${task.label}` : task.tool,
    group: "Tasks",
    icon: ListChecks,
    detail: task.outcome ?? STATE_LABELS[task.state],
    href: `/tasks/${task.id}`,
  };
}

function serverItem(server: { id: string; name: string }): Found {
  return {
    id: `server:${server.id}`,
    label: server.name,
    group: "Servers",
    icon: ServerIcon,
    href: `/servers/${server.id}`,
  };
}

function usePause(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
