"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { Agent } from "@/lib/agents/schema.ts";
import { taskList } from "@/lib/api-client/tasks/tasks.ts";
import { Part } from "./part.tsx";

const SHOWN = 10;

/** The newest tasks that an agent started. */
export function AgentTasks({ agent }: { agent: Agent }) {
  const tasks = useInfiniteQuery(taskList({ requester: agent.id }));
  const list = tasks.data?.pages[0]?.items.slice(0, SHOWN);
  return (
    <Part
      title="Tasks it started"
      action={
        list &&
        list.length > 0 && (
          <Button asChild size="sm">
            <Link href={`/tasks?requester=${agent.id}`}>Show all</Link>
          </Button>
        )
      }
    >
      {tasks.isError && !list && (
        <LoadFailure what="The tasks" error={tasks.error} onRetry={() => void tasks.refetch()} />
      )}
      {tasks.isPending && <div aria-hidden className="skeleton h-16" />}
      {list?.length === 0 && <p className="text-muted">None yet.</p>}
      {list && list.length > 0 && (
        <ul
          aria-label="Tasks it started"
          className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel"
        >
          {list.map((task) => (
            <li key={task.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <Link
                href={`/tasks/${task.id}`}
                className="min-w-0 flex-1 underline-offset-4 hover:underline max-md:basis-full md:truncate"
              >
                {task.label ?? task.tool}
                <span className="text-muted"> · {task.server.name}</span>
              </Link>
              <StateBadge task={task} />
              <TimeAgo at={task.createdAt} className="text-muted text-xs" />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
