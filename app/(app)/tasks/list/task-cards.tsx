"use client";

import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { Age } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { isLive } from "@/lib/format/tasks/outcome.ts";
import type { TaskSummary } from "@/lib/tasks/schema.ts";
import { TaskMatter } from "./task-matter.tsx";
import { Box, type TaskListProps } from "./task-table.tsx";
import { useRowWindow } from "./use-row-window.ts";

const CARD_PX = 98;

/** The table's twin for a phone. */
export function TaskCards({ rows, selection, total }: Pick<TaskListProps, "rows" | "selection" | "total">) {
  const view = useRowWindow(rows.length, (index) => rows[index]?.task.id ?? String(index), CARD_PX);
  const choosing = selection && selection.ids.length > 0;
  return (
    <ul
      ref={view.list}
      className="-mx-4 flex flex-col border-line border-y bg-panel"
      style={{ paddingTop: view.before, paddingBottom: view.after }}
    >
      {view.items.map(({ index, key }) => {
        const row = rows[index];
        if (!row) return null;
        return (
          <li
            key={key}
            ref={view.measure}
            data-index={index}
            data-task={row.task.id}
            aria-setsize={total ?? -1}
            aria-posinset={index + 1}
            className={cn("relative flex border-line border-b last:border-b-0", row.gone && "opacity-55")}
          >
            {choosing && (
              <span className="flex items-center pl-4">
                <Box
                  label={`Select ${row.task.label ?? row.task.tool}`}
                  checked={selection.has(row.task.id)}
                  disabled={row.gone}
                  onChange={() => selection.toggle(row.task.id)}
                />
              </span>
            )}
            <Card task={row.task} />
          </li>
        );
      })}
    </ul>
  );
}

function Card({ task }: { task: TaskSummary }) {
  return (
    <Link
      href={`/tasks/${task.id}`}
      className="flex min-w-0 flex-1 flex-col gap-1.5 px-4 py-3 focus-visible:-outline-offset-2 active:bg-sunken"
    >
      <span className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate font-medium">{task.label ?? task.tool}</span>
        <Age at={task.createdAt} className="shrink-0 text-muted text-xs" />
      </span>
      <span className="truncate text-[13px] text-muted">
        {task.server.name} · {task.tool} · {task.requestedBy.name}
      </span>
      <span className="flex min-w-0 items-center gap-2.5 text-[13px]">
        {task.attention ? <AttentionBadge attention={task.attention} /> : <StateBadge task={task} />}
        {!task.durable && isLive(task.state) && <NotDurableBadge short />}
        <span className="min-w-0 flex-1">
          <TaskMatter task={task} />
        </span>
      </span>
    </Link>
  );
}
