"use client";

import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { ListChecks, MessageCirclePlus, Plus, SearchX } from "lucide-react";
import { useMemo, useState } from "react";
import type { ViewDialog } from "@/components/list/saved-views.ts";
import { useSelection } from "@/components/list/use-selection.ts";
import { type ReadAlready, useRead } from "@/components/shell/api-provider.tsx";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { Page } from "@/components/shell/pages/page.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { useWide } from "@/components/ui/wide.ts";
import { NOT_SEARCHED } from "@/lib/requests/words/filter-words.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { countOf, isTaskListNarrowed, NO_TASK_FILTERS } from "@/lib/tasks/words/task-filters.ts";
import { taskCounts, taskList, taskTotal } from "@/lib/web/client/tasks/tasks.ts";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { settled, type TaskRow, toRow } from "./list/row-facts.ts";
import { TaskCards } from "./list/task-cards.tsx";
import { withHolder } from "./list/task-columns.tsx";
import { TaskTable, TaskTableSkeleton } from "./list/task-table.tsx";
import { TaskTiles } from "./list/task-tiles.tsx";
import { useColumns } from "./list/use-columns.ts";
import { ExportMenu } from "./toolbar/export-menu.tsx";
import { TaskToolbar } from "./toolbar/task-toolbar.tsx";
import { useTaskPlace, useViews } from "./toolbar/use-task-place.ts";

const NewRows = lazyComponent(() => import("@/components/list/new-rows.tsx").then((file) => file.NewRows));
const FailurePanel = lazyComponent(() =>
  import("./failures/failure-groups.tsx").then((file) => file.FailurePanel),
);
const ViewDialogs = lazyComponent(() =>
  import("@/components/list/saved-view-dialogs.tsx").then((file) => file.ViewDialogs),
);

/** `phone`: the server's guess, used for the first render. */
export function TasksScreen({ read, phone }: { read: ReadAlready; phone: boolean }) {
  useRead(useQueryClient(), read);
  const me = useMe();
  const place = useTaskPlace();
  const { filters, query } = place;
  const list = useInfiniteQuery({ ...taskList(query), placeholderData: keepPreviousData });
  const counts = useQuery(taskCounts(place.today));
  const views = useViews(place);
  const columns = useColumns();
  const [dialog, setDialog] = useState<ViewDialog | null>(null);
  const [held, setHeld] = useState(false);
  const wide = useWide(!phone);

  const settled = list.isPlaceholderData ? undefined : list.data;
  const fresh = useMemo(() => settled?.pages.flatMap((page) => page.items), [settled]);
  const name = JSON.stringify(query);
  const { rows, unseen, showAll } = useTaskRows(name, fresh, held);
  const chosen = useSelection(
    name,
    rows.filter((row) => !row.gone).map((row) => row.task.id),
  );
  const selection = me.may("tasks:manage") ? chosen : null;
  const tasks = useMemo(() => rows.map(({ task }) => task), [rows]);
  const waiting = (counts.data && countOf("waiting", counts.data)) ?? 0;
  useTitle(waiting > 0 ? `Tasks (${waiting} waiting)` : "Tasks");

  const order = filters.order || "newest";
  const counted = useQuery({ ...taskTotal(query), enabled: query !== null && list.hasNextPage });
  const total = list.hasNextPage ? (counted.data?.total ?? null) : rows.length;
  const more = <LoadMore query={list} />;
  return (
    <Page
      title="Tasks"
      actions={
        <>
          <ExportMenu filter={query} />
          {me.may("requests:ask") && (
            <Button aria-label="Ask somebody…" title="Ask somebody…" onClick={() => openOverlay("ask")}>
              <MessageCirclePlus aria-hidden strokeWidth={1.75} className="md:hidden" />
              <span className="max-md:hidden">Ask somebody…</span>
            </Button>
          )}
          {me.may("tasks:start") && (
            <Button asChild variant="primary">
              <Link href="/tasks/new">
                <Plus aria-hidden strokeWidth={1.75} />
                New task
              </Link>
            </Button>
          )}
        </>
      }
    >
      <TaskTiles
        counts={counts.data}
        active={filters.show}
        onChoose={(show) => place.go({ filters: { show } })}
      />
      <TaskToolbar
        place={place}
        tasks={tasks}
        total={list.isPending ? null : total}
        columns={columns}
        views={views}
        onDialog={setDialog}
      />
      {list.data?.pages[0]?.contentNotSearched && <p className="text-[13px] text-muted">{NOT_SEARCHED}</p>}
      {query && hasFailuresAlone(query) && <FailurePanel query={query} />}
      {list.isPending ? (
        <TaskTableSkeleton />
      ) : list.isError && !list.data ? (
        <LoadFailure what="The tasks" error={list.error} onRetry={() => void list.refetch()} />
      ) : rows.length === 0 && !list.isPlaceholderData ? (
        <div className="rounded-lg border border-line bg-panel">
          {isTaskListNarrowed(filters) ? (
            <Empty
              icon={SearchX}
              title="No tasks match"
              action={
                <Button onClick={() => place.go({ filters: NO_TASK_FILTERS, view: null })}>
                  Show all tasks
                </Button>
              }
            />
          ) : (
            <NoTasks mayStart={me.may("tasks:start")} />
          )}
        </div>
      ) : (
        <div
          className={cn("relative", list.isPlaceholderData && "opacity-60")}
          onPointerEnter={(event) => setHeld(event.pointerType === "mouse")}
          onPointerLeave={() => setHeld(false)}
        >
          {unseen > 0 && (
            <NewRows count={unseen} at="top" onClick={showAll} className="top-10 z-20 max-md:top-2" />
          )}
          {wide ? (
            <TaskTable
              rows={rows}
              columns={query?.attention ? withHolder(columns.columns) : columns.columns}
              order={order}
              onOrder={(next) => place.go({ filters: { order: next === "newest" ? "" : next } })}
              selection={selection}
              total={total}
              end={more}
            />
          ) : (
            <>
              <TaskCards rows={rows} selection={selection} total={total} />
              {more}
            </>
          )}
          <p role="status" className="sr-only">
            {unseen > 0 ? `${unseen} new tasks` : ""}
          </p>
        </div>
      )}
      {selection && selection.ids.length > 0 && (
        <BulkBar selection={selection} place={place} more={list.hasNextPage} total={total} />
      )}
      {dialog && <ViewDialogs dialog={dialog} views={views} onClose={() => setDialog(null)} />}
    </Page>
  );
}

/** Whether the list has failures alone, and not yet those of one cause. */
function hasFailuresAlone({ state, attention, cause }: Record<string, string>): boolean {
  if (!state || attention || cause) return false;
  return state.split(",").every((each) => FAILURES.includes(each));
}

const FAILURES = ["failed", "lost", "expired"];

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

interface Shown {
  name: string;
  rows: TaskRow[];
}

/**
 * The rows as shown on the screen. Rows update in place and never move. New tasks wait until the person asks
 * for them, and tasks that left the list disappear once `held` (the pointer is over the list) ends. `fresh`:
 * the list as last read; undefined while loading.
 */
function useTaskRows(name: string, fresh: TaskSummary[] | undefined, held: boolean) {
  const [shown, setShown] = useState<Shown>({ name: "", rows: [] });
  const [seen, setSeen] = useState<{ fresh: unknown; held: boolean }>({ fresh: undefined, held: false });
  if (fresh && (seen.fresh !== fresh || seen.held !== held || shown.name !== name)) {
    setSeen({ fresh, held });
    setShown({ name, rows: shown.name === name ? settled(shown.rows, fresh, held) : fresh.map(toRow) });
  }
  // Until the next list is loaded, the last one is shown.
  const { rows } = shown;
  const there = new Set(rows.map(({ task }) => task.id));
  return {
    rows,
    /** Tasks in the list that are not on the screen yet. */
    unseen: fresh && shown.name === name ? fresh.filter((task) => !there.has(task.id)).length : 0,
    showAll: () => fresh && setShown({ name, rows: fresh.map(toRow) }),
  };
}
