"use client";

import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { Age } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import type { TaskSummary } from "@/lib/tasks/schema.ts";
import { TaskMatter } from "./task-matter.tsx";

/** The table's twin for a phone. */
export function TaskCards({ tasks }: { tasks: TaskSummary[] }) {
  return (
    <ul className="-mx-4 flex flex-col border-line border-y bg-panel md:hidden">
      {tasks.map((task) => (
        <li key={task.id} className="border-line border-b last:border-b-0">
          <Link
            href={`/tasks/${task.id}`}
            className="flex flex-col gap-1.5 px-4 py-3 focus-visible:-outline-offset-2 active:bg-sunken"
          >
            <span className="flex items-center gap-3">
              <span className="min-w-0 flex-1 truncate font-medium">{task.label ?? task.tool}</span>
              <Age at={task.createdAt} className="shrink-0 text-muted text-xs" />
            </span>
            <span className="truncate text-[13px] text-muted">
              {task.server.name} · {task.tool} · {task.requestedBy.name}
            </span>
            <span className="flex min-w-0 items-center gap-2.5 text-[13px]">
              <StateBadge task={task} />
              <AttentionBadge attention={task.attention} />
              {!task.durable && isLive(task.state) && <NotDurableBadge short />}
              <span className="min-w-0 flex-1">
                <TaskMatter task={task} />
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
