"use client";

import type { ReactNode } from "react";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";

/** Related tasks, including the task on this page. */
export function TaskGroup({
  title,
  note,
  tasks,
  shown,
  nameOf,
  aside,
}: {
  title: string;
  /** The common result of the tasks. */
  note: ReactNode;
  tasks: TaskSummary[];
  /** The id of the task on this page. */
  shown: string;
  nameOf: (task: TaskSummary) => string;
  aside: (task: TaskSummary) => ReactNode;
}) {
  return (
    <section aria-label={title} className="overflow-hidden rounded-lg border border-line bg-panel">
      <div className="flex flex-wrap items-baseline gap-x-3 border-line border-b px-4 py-2.5">
        <h2 className="font-medium">{title}</h2>
        <p className="text-[13px] text-muted">{note}</p>
      </div>
      <ul className="divide-y divide-line">
        {tasks.map((task) => (
          <li key={task.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 max-md:min-h-11">
            {task.id === shown ? (
              <span aria-current="page" className="min-w-0 flex-1 truncate font-medium">
                {nameOf(task)} <span className="font-normal text-muted">· this task</span>
              </span>
            ) : (
              <Link
                href={`/tasks/${task.id}`}
                className="min-w-0 flex-1 truncate underline-offset-2 hover:underline max-md:-my-2 max-md:py-2.5"
              >
                {nameOf(task)}
              </Link>
            )}
            {aside(task)}
            <StateBadge task={task} withOutcome />
          </li>
        ))}
      </ul>
    </section>
  );
}
