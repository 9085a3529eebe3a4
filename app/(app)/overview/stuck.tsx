"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { Card } from "@/components/chart/chart-card.tsx";
import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { StuckActions, TaskHolder } from "@/components/task/stuck-actions.tsx";
import { Age } from "@/components/time/time.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import { ATTENTION } from "@/lib/tasks/task-attention.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { stuckTasks } from "@/lib/web/client/overview.ts";

/** Stuck tasks, which need a person, each with the reason and time. */
export function Stuck({ count }: { count: number | undefined }) {
  const list = useQuery(stuckTasks());
  const tasks = list.data?.items ?? [];
  const more = (count ?? 0) - tasks.length;
  return (
    <Card
      title={count ? `Stuck · ${count > 1000 ? "1,000+" : count}` : "Stuck"}
      action={
        <Link
          href={tasksHref({ attention: "stuck" })}
          className="rounded-sm text-accent text-xs hover:underline max-md:py-3.5"
        >
          Show in tasks
        </Link>
      }
    >
      {!list.data && <Unread what="The list" query={list} className="h-16" />}
      {list.data && tasks.length === 0 && (
        <p className="flex items-center gap-2 text-muted">
          <CircleCheck aria-hidden className="size-4 text-good" strokeWidth={1.75} />
          No stuck tasks
        </p>
      )}
      {tasks.length > 0 && (
        <ul className="-mx-2 flex flex-col">
          {tasks.map((task) => (
            <StuckTask key={task.id} task={task} />
          ))}
        </ul>
      )}
      {more > 0 && tasks.length > 0 && (
        <p className="text-muted text-xs">{more > 900 ? "Many" : more} more in tasks</p>
      )}
    </Card>
  );
}

function StuckTask({ task }: { task: TaskSummary }) {
  const why = task.attention ? ATTENTION[task.attention.code].words : null;
  return (
    <li className="grid items-center gap-x-3 border-line border-t first:border-t-0 lg:grid-cols-[minmax(0,1fr)_auto]">
      <Link
        href={`/tasks/${task.id}`}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 rounded-md px-2 py-2 hover:bg-sunken md:grid-cols-[minmax(0,14rem)_10.5rem_minmax(0,1fr)_auto]"
      >
        <span className="min-w-0">
          <span className="block truncate font-medium">{task.label ?? task.tool}</span>
          <span className="block truncate text-muted text-xs">
            {task.server.name} · {task.tool}
          </span>
        </span>
        <span className="justify-self-end md:justify-self-start">
          <AttentionBadge attention={task.attention} />
        </span>
        <span className="text-[13px] text-muted max-md:order-last max-md:col-span-2">{why}</span>
        {task.attention && (
          <span className="whitespace-nowrap text-[13px] text-muted max-md:order-last max-md:col-span-2">
            for <Age at={task.attention.since} />
          </span>
        )}
      </Link>
      <span className="flex items-center gap-3 px-2 max-lg:pb-2">
        <TaskHolder task={task} className="max-lg:flex-1 lg:max-w-72" />
        <StuckActions task={task} />
      </span>
    </li>
  );
}
