import type { ReactNode } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { StuckActions, TaskHolder } from "@/components/task/stuck-actions.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Age, TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import { isStuck } from "@/lib/tasks/task-attention.ts";
import type { TaskOrder, TaskSummary } from "@/lib/tasks/task-schema.ts";
import { endsSoon, instantOf, matterOf, stateBadges } from "./row-facts.ts";

export interface TaskColumn {
  id: string;
  label: string;
  cell: (task: TaskSummary) => ReactNode;
  right?: boolean;
  className?: string;
  /** Hidden unless chosen. */
  extra?: boolean;
  /** The orders that clicks on the column header cycle through, with each order's sort direction. */
  orders?: Partial<Record<TaskOrder, "ascending" | "descending">>;
}

/** Optional columns, beside the task's name. */
export const TASK_COLUMNS: TaskColumn[] = [
  {
    id: "party",
    label: "Party",
    className: "max-w-36 truncate max-lg:hidden",
    cell: (task) => task.party && <PlainText text={task.party} />,
  },
  {
    id: "amount",
    label: "Amount",
    className: "tabular-nums",
    right: true,
    cell: (task) => <TaskAmount task={task} />,
  },
  {
    id: "tool",
    label: "Tool",
    className: "max-w-40 truncate text-muted",
    extra: true,
    cell: (task) => task.tool,
  },
  {
    id: "server",
    label: "Server",
    className: "max-w-36 truncate text-muted max-xl:hidden",
    cell: (task) => task.server.name,
  },
  {
    id: "state",
    label: "State",
    cell: (task) => {
      const shown = stateBadges(task);
      return (
        <span className="flex items-center gap-1.5">
          {shown.state && <StateBadge task={task} />}
          <AttentionBadge attention={task.attention} />
          {shown.notDurable && <NotDurableBadge short />}
        </span>
      );
    },
  },
  {
    id: "outcome",
    label: "Outcome",
    className: "w-full min-w-28 max-w-0",
    cell: (task) => <TaskMatter task={task} />,
  },
  {
    id: "by",
    label: "By",
    className: "max-w-32 truncate text-muted max-2xl:hidden",
    cell: (task) => actorWords(task.requestedBy, { begins: true }),
  },
  { id: "era", label: "Era", extra: true, cell: (task) => task.era && <EraBadge era={task.era} /> },
  {
    id: "age",
    label: "Age",
    right: true,
    orders: { newest: "ascending", oldest: "descending" },
    cell: (task) => <Age at={task.createdAt} />,
  },
  {
    id: "changed",
    label: "Last change",
    right: true,
    extra: true,
    cell: (task) => <TimeAgo at={task.updatedAt} />,
  },
  {
    id: "ended",
    label: "Ended",
    right: true,
    extra: true,
    orders: { ended: "descending" },
    cell: (task) => task.finishedAt && <TimeAgo at={task.finishedAt} />,
  },
  {
    id: "next",
    label: "Next check",
    right: true,
    extra: true,
    cell: (task) => {
      const next = instantOf(task.state, task.nextCheckAt);
      return next === null || next === "—" ? next : <TimeUntil at={next.at} over="now" />;
    },
  },
  {
    id: "left",
    label: "Time left",
    right: true,
    className: "max-lg:hidden",
    orders: { expiring: "ascending" },
    cell: (task) => {
      const end = instantOf(task.state, task.expiresAt);
      return end === null || end === "—" ? end : <TimeLeft at={end.at} />;
    },
  },
];

const HOLDER_COLUMN: TaskColumn = {
  id: "holder",
  label: "Owner",
  className: "min-w-48",
  cell: (task) =>
    isStuck(task) && (
      <span className="flex items-center justify-end gap-3">
        <TaskHolder task={task} className="max-w-64 flex-1" />
        {/* Above the link that covers the row. */}
        <span className="relative z-[1]">
          <StuckActions task={task} />
        </span>
      </span>
    ),
};

/** The columns of a list of tasks that need attention: who looks after them, rather than when they are due. */
export function withHolder(columns: TaskColumn[]): TaskColumn[] {
  return [...columns.filter(({ id }) => !["by", "next", "left"].includes(id)), HOLDER_COLUMN];
}

function TaskAmount({ task: { amount } }: { task: TaskSummary }) {
  const formats = useFormats();
  return (
    amount && (
      <span className="text-ink">
        <PlainText text={formats.amount(amount)} />
      </span>
    )
  );
}

function TimeLeft({ at }: { at: string }) {
  const soon = endsSoon(at, Date.now());
  return <TimeUntil at={at} over="over" className={cn(soon && "font-medium text-wait")} />;
}

/** The task's status in one line, see `matterOf()`. */
export function TaskMatter({ task, wrap = false }: { task: TaskSummary; wrap?: boolean }) {
  const formats = useFormats();
  const matter = matterOf(task);
  if ("progress" in matter) {
    const { progress } = matter;
    return (
      <span className="flex items-center gap-2.5">
        <span className="w-24 shrink-0">
          <ProgressBar progress={progress} label={`Progress of ${task.label ?? task.tool}`} />
        </span>
        <span className="shrink-0 text-muted text-xs">{progressWords(progress, formats)}</span>
        <span className="truncate text-muted">{progress.message}</span>
      </span>
    );
  }
  const { text, server } = matter;
  return (
    <span className={cn("block", !wrap && "truncate")} title={text ?? undefined}>
      {text}
      {server && <span className="text-muted"> · server says “{server}”</span>}
    </span>
  );
}
