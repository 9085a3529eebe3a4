"use client";

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ban, Check, ChevronRight, CircleStop, Clock3, type LucideIcon, SearchX, X } from "lucide-react";
import { useState } from "react";
import { Page } from "@/components/shell/pages/page.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type {
  BulkAction,
  BulkItem,
  BulkOperation,
  ItemState,
} from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { STATE_LABELS } from "@/lib/tasks/words/state-labels.ts";
import { plural, type Tone } from "@/lib/text/labels.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { bulkItems, bulkKeys, bulkOperation } from "@/lib/web/client/tasks/tasks.ts";
import { BULK_WORDS } from "../bulk-words.ts";

const RESULTS: Record<ItemState, { label: string; tone: Tone; icon: LucideIcon }> = {
  waiting: { label: "Waiting", tone: "neutral", icon: Clock3 },
  done: { label: "Done", tone: "good", icon: Check },
  refused: { label: "Refused", tone: "bad", icon: X },
  skipped: { label: "Skipped", tone: "neutral", icon: Ban },
};

/** The result for each task, in the order of the list. */
function BulkItems({ id, state, action }: { id: string; state: string; action: BulkAction }) {
  const list = useInfiniteQuery(bulkItems(id, state));
  if (list.isPending) return <div aria-hidden className="skeleton h-40" />;
  if (list.isError && !list.data)
    return <LoadFailure what="The results" error={list.error} onRetry={() => void list.refetch()} />;
  const items = list.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="py-6 text-center text-muted">None</p>;
  return (
    <>
      <ul aria-label="Results" className="flex flex-col rounded-lg border border-line bg-panel">
        {items.map((item) => (
          <Item key={item.position} item={item} action={action} />
        ))}
      </ul>
      <LoadMore query={list} />
    </>
  );
}

function Item({ item, action }: { item: BulkItem; action: BulkAction }) {
  const { label, tone, icon } = RESULTS[item.state];
  const { task } = item;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3.5 py-2 last:border-b-0">
      <span className="min-w-0 flex-1 basis-48 truncate">
        {task ? (
          <Link
            href={`/tasks/${item.taskId}`}
            className="font-medium hover:underline max-md:inline-block max-md:py-2.5"
          >
            {task.label ?? task.tool}
          </Link>
        ) : (
          <span className="text-muted">Deleted task</span>
        )}
        {task && (
          <span className="text-[13px] text-muted">
            {" "}
            · {task.tool} · {task.server} · {STATE_LABELS[task.state]}
          </span>
        )}
      </span>
      {item.newTaskId && (
        <Link
          href={`/tasks/${item.newTaskId}`}
          className="text-[13px] text-accent hover:underline max-md:py-2.5"
        >
          New task
        </Link>
      )}
      <Badge tone={tone} icon={icon}>
        {item.state === "done" && action === "cancel" ? "Cancel requested" : label}
      </Badge>
      {item.message && <span className="w-full text-[13px] text-muted">{item.message}</span>}
    </li>
  );
}

/**
 * The progress of a bulk operation and the result for each task. The operation runs whether or not the page
 * is open.
 */
export function BulkScreen({ id }: { id: string }) {
  const operation = useQuery(bulkOperation(id));
  if (operation.isPending) return <Page title="Tasks">{null}</Page>;
  if (operation.error && !operation.data) {
    const isGone = operation.error instanceof ApiError && operation.error.status === 404;
    return (
      <Page title="Tasks">
        {isGone ? (
          <Empty
            icon={SearchX}
            title="Operation not found"
            action={
              <Button asChild>
                <Link href="/tasks">Show all tasks</Link>
              </Button>
            }
          />
        ) : (
          <LoadFailure
            what="The operation"
            error={operation.error}
            onRetry={() => void operation.refetch()}
          />
        )}
      </Page>
    );
  }
  return <Shown operation={operation.data} />;
}

function Shown({ operation }: { operation: BulkOperation }) {
  const { id, action, items, state, counts, by, begunAt, createdAt, endedAt } = operation;
  const [tab, setTab] = useState("all");
  const client = useQueryClient();
  const over = items - (counts.waiting ?? 0);
  const title = `${BULK_WORDS[action].doing} ${plural(items, "task")}`;
  useTitle(state === "running" ? `${over} of ${items} · ${title}` : title);
  const stop = useMutation({
    mutationFn: () => api.post(`/api/v1/bulk-operations/${id}/stop`),
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: bulkKeys.operation(id) }),
  });
  return (
    <Page
      narrow
      title={title}
      actions={
        (state === "running" || state === "prepared") && (
          <Button variant="danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
            <CircleStop aria-hidden strokeWidth={1.75} />
            {state === "running" ? "Stop the rest" : "Discard"}
          </Button>
        )
      }
    >
      <nav aria-label="Breadcrumb" className="-mt-3 flex items-center gap-1.5 text-[13px] text-muted">
        <Link href="/tasks" className="hover:text-ink hover:underline max-md:-m-3 max-md:p-3">
          Tasks
        </Link>
        <ChevronRight aria-hidden className="size-3.5" strokeWidth={1.75} />
        <span>Bulk operation</span>
      </nav>
      <section
        aria-label="Progress"
        className="flex flex-col gap-2.5 rounded-lg border border-line bg-panel p-4"
      >
        <div
          role="progressbar"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={items}
          aria-valuenow={over}
          aria-valuetext={`${over} of ${items}`}
          className="h-1.5 overflow-hidden rounded-full bg-line"
        >
          <div className="h-full rounded-full bg-accent" style={{ width: `${(over / items) * 100}%` }} />
        </div>
        <p role="status" className="font-medium">
          {STATE_WORDS[state]} · {counts.done ?? 0} done
          {(counts.refused ?? 0) > 0 && <span className="text-bad"> · {counts.refused} refused</span>}
          {(counts.skipped ?? 0) > 0 && ` · ${counts.skipped} skipped`}
          {(counts.waiting ?? 0) > 0 && ` · ${counts.waiting} waiting`}
        </p>
        <p className="text-[13px] text-muted">
          Started by {actorWords(by)} <TimeAgo at={begunAt ?? createdAt} />
          {endedAt && (
            <>
              , ended <TimeAgo at={endedAt} />
            </>
          )}
          {state === "running" && ". It continues if you leave this page."}
          {state === "prepared" && ". Not confirmed, so nothing was done."}
        </p>
      </section>
      <Tabs
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "all", label: "All", count: items },
          { value: "done", label: "Done", count: counts.done ?? 0 },
          { value: "refused", label: "Refused", count: counts.refused ?? 0 },
          { value: "waiting", label: "Waiting", count: counts.waiting ?? 0 },
        ]}
      >
        <TabPanel value={tab}>
          <BulkItems id={id} state={tab === "all" ? "" : tab} action={action} />
        </TabPanel>
      </Tabs>
    </Page>
  );
}

const STATE_WORDS: Record<BulkOperation["state"], string> = {
  prepared: "Not started",
  running: "Running",
  done: "Finished",
  stopped: "Stopped",
};
