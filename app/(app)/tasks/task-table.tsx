"use client";

import type { ReactNode } from "react";
import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { Age, TimeUntil } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import type { TaskSummary } from "@/lib/tasks/schema.ts";
import { TaskMatter } from "./task-matter.tsx";

export function TaskTable({ tasks }: { tasks: TaskSummary[] }) {
  return (
    <ScrollX label="Tasks" className="max-md:hidden">
      <table className="w-full border-collapse whitespace-nowrap">
        <thead>
          <tr className="border-line border-b text-left text-muted text-xs">
            <Head>Task</Head>
            <Head>Tool</Head>
            <Head className="max-lg:hidden">Server</Head>
            <Head>State</Head>
            <Head>Outcome</Head>
            <Head className="max-lg:hidden">By</Head>
            <Head right>Age</Head>
            <Head right className="max-xl:hidden">
              Next check
            </Head>
            <Head right className="max-lg:hidden">
              Time left
            </Head>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <Row key={task.id} task={task} />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function Row({ task }: { task: TaskSummary }) {
  const live = isLive(task.state);
  return (
    <tr className="relative border-line border-b last:border-b-0 hover:bg-sunken">
      <Cell className="max-w-44">
        {/* The link covers the row; text in it can still be read by column. */}
        <Link
          href={`/tasks/${task.id}`}
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {task.label ?? task.tool}
        </Link>
      </Cell>
      <Cell className="max-w-40 truncate text-muted">{task.tool}</Cell>
      <Cell className="max-w-60 truncate text-muted max-lg:hidden">{task.server.name}</Cell>
      <Cell>
        <span className="flex items-center gap-1.5">
          <StateBadge task={task} />
          <AttentionBadge attention={task.attention} />
          {!task.durable && live && <NotDurableBadge short />}
        </span>
      </Cell>
      <Cell className="w-full min-w-40 max-w-0">
        <TaskMatter task={task} />
      </Cell>
      <Cell className="max-w-28 truncate text-muted max-lg:hidden">{task.requestedBy.name}</Cell>
      <Cell right>
        <Age at={task.createdAt} />
      </Cell>
      <Cell right className="max-xl:hidden">
        {live && (task.nextCheckAt ? <TimeUntil at={task.nextCheckAt} over="now" /> : "—")}
      </Cell>
      <Cell right className="max-lg:hidden">
        {live && (task.expiresAt ? <TimeUntil at={task.expiresAt} over="over" /> : "—")}
      </Cell>
    </tr>
  );
}

function Head({ right, className, children }: { right?: boolean; className?: string; children: ReactNode }) {
  return (
    <th scope="col" className={cn("px-3 py-2 font-medium", right && "text-right", className)}>
      {children}
    </th>
  );
}

function Cell({ right, className, children }: { right?: boolean; className?: string; children: ReactNode }) {
  return (
    <td className={cn("h-[38px] px-3 py-1.5", right && "text-right text-muted", className)}>{children}</td>
  );
}

export function TaskTableSkeleton() {
  return (
    <div aria-hidden className="flex flex-col rounded-lg border border-line bg-panel">
      {["a", "b", "c", "d", "e", "f"].map((row) => (
        <div key={row} className="flex h-[38px] items-center gap-6 border-line border-b px-3 last:border-b-0">
          <div className="skeleton h-4 w-24" />
          <div className="skeleton h-4 w-32 max-md:hidden" />
          <div className="skeleton h-5 w-28" />
          <div className="skeleton h-4 flex-1" />
        </div>
      ))}
    </div>
  );
}
