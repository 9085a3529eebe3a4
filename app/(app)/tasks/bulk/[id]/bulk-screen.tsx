"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronRight, CircleStop, SearchX } from "lucide-react";
import { useState } from "react";
import { Page } from "@/components/shell/pages/page.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import { ApiError, api, errorSentence } from "@/lib/api-client/base/client.ts";
import { bulkKeys, bulkOperation } from "@/lib/api-client/bulk-operations.ts";
import type { BulkOperation } from "@/lib/bulk-operations/schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { BULK_WORDS } from "../bulk-words.ts";
import { BulkItems } from "./bulk-items.tsx";

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
          {state === "prepared" && ". Not confirmed: nothing is done."}
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
