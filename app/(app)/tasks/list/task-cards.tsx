"use client";

import { useMemo } from "react";
import { rowMark } from "@/components/list/use-list-keys.ts";
import { useRowWindow } from "@/components/list/use-row-window.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { StuckActions, TaskHolder } from "@/components/task/stuck-actions.tsx";
import { Age } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { isStuck } from "@/lib/tasks/task-attention.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { visibleText } from "@/lib/text/foreign/hidden.ts";
import { stateBadges } from "./row-facts.ts";
import { TaskMatter } from "./task-columns.tsx";
import { Box, type TaskListProps } from "./task-table.tsx";

const CARD_PX = 98;

/** The list of tasks as cards, for phones. */
export function TaskCards({ rows, selection, total }: Pick<TaskListProps, "rows" | "selection" | "total">) {
  const ids = useMemo(() => rows.map(({ task }) => task.id), [rows]);
  const view = useRowWindow<HTMLUListElement>({ ids, rowPx: CARD_PX });
  const { ref, style } = view.listProps;
  const choosing = selection && selection.ids.length > 0;
  return (
    <>
      <ul
        ref={ref}
        data-list
        className="-mx-4 flex flex-col border-line border-y bg-panel"
        style={{ ...style, paddingBottom: view.after }}
      >
        {view.rows.map(({ index, gap }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <li
              key={row.task.id}
              {...view.rowProps(index)}
              {...rowMark(row.task.id)}
              aria-setsize={total ?? -1}
              aria-posinset={index + 1}
              className={cn("relative flex border-line border-b last:border-b-0", row.gone && "opacity-55")}
              style={{ marginTop: gap }}
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
              <span className="flex min-w-0 flex-1 flex-col">
                <Card task={row.task} />
                {isStuck(row.task) && (
                  <span className="-mt-1 flex items-center gap-3 px-4 pb-2">
                    <TaskHolder task={row.task} className="flex-1" />
                    <StuckActions task={row.task} />
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {view.virtualizer}
    </>
  );
}

function Card({ task }: { task: TaskSummary }) {
  const formats = useFormats();
  const amount = task.amount && visibleText(formats.amount(task.amount));
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
        {[task.party && visibleText(task.party), amount, task.server.name, actorWords(task.requestedBy)]
          .filter(Boolean)
          .join(" · ")}
      </span>
      <span className="flex min-w-0 items-center gap-2.5 text-[13px]">
        {task.attention ? <AttentionBadge attention={task.attention} /> : <StateBadge task={task} />}
        {stateBadges(task).notDurable && <NotDurableBadge short />}
        <span className="min-w-0 flex-1">
          <TaskMatter task={task} />
        </span>
      </span>
    </Link>
  );
}
