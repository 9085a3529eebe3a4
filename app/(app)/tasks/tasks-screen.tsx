"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ListChecks, Plus, SearchX } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { taskCounts, taskList } from "@/components/api/tasks.ts";
import { useMe } from "@/components/shell/me.tsx";
import { Page } from "@/components/shell/page.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { TaskCards } from "./task-cards.tsx";
import { TaskFilters } from "./task-filters.tsx";
import { TaskTable, TaskTableSkeleton } from "./task-table.tsx";
import { TaskTiles } from "./task-tiles.tsx";

export function TasksScreen() {
  const me = useMe();
  const params = useSearchParams();
  const filter = { state: params.get("state") ?? "", q: params.get("q") ?? "" };
  const list = useInfiniteQuery(taskList(filter));
  const counts = useQuery(taskCounts());
  const tasks = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const waiting = counts.data?.counts.input_required ?? 0;
  useTitle(waiting > 0 ? `Tasks (${waiting} waiting)` : "Tasks");

  const setFilter = (next: Partial<typeof filter>) => {
    const set = Object.entries({ ...filter, ...next }).filter(([, value]) => value !== "");
    window.history.replaceState(null, "", `/tasks${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`);
  };

  return (
    <Page
      title="Tasks"
      actions={
        me.may("tasks:start") && (
          <Button asChild variant="primary">
            <Link href="/tasks/new">
              <Plus aria-hidden strokeWidth={1.75} />
              New task
            </Link>
          </Button>
        )
      }
    >
      <TaskTiles
        counts={counts.data?.counts}
        active={filter.state}
        onChoose={(state) => setFilter({ state: state === filter.state ? "" : state })}
      />
      <TaskFilters filter={filter} onChange={setFilter} />
      {list.isPending ? (
        <TaskTableSkeleton />
      ) : list.isError && !list.data ? (
        <LoadFailure what="The tasks" error={list.error} onRetry={() => void list.refetch()} />
      ) : tasks.length === 0 ? (
        <div className="rounded-lg border border-line bg-panel">
          {filter.q || filter.state ? (
            <Empty
              icon={SearchX}
              title="No task matches"
              action={<Button onClick={() => setFilter({ q: "", state: "" })}>Show all tasks</Button>}
            />
          ) : (
            <NoTasks mayStart={me.may("tasks:start")} />
          )}
        </div>
      ) : (
        <div>
          <TaskTable tasks={tasks} />
          <TaskCards tasks={tasks} />
          <LoadMore query={list} />
        </div>
      )}
    </Page>
  );
}

function NoTasks({ mayStart }: { mayStart: boolean }) {
  return (
    <Empty
      icon={ListChecks}
      title="No tasks yet"
      action={
        mayStart && (
          <Button asChild variant="primary">
            <Link href="/tasks/new">Start a task</Link>
          </Button>
        )
      }
    >
      A task is one tool call that a server works on for as long as it takes.
      {!mayStart && " Operators start them."}
    </Empty>
  );
}
