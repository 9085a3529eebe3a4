"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Ban, Check, Clock3, type LucideIcon, X } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { bulkItems } from "@/lib/api-client/bulk-operations.ts";
import type { BulkAction, BulkItem, ItemState } from "@/lib/bulk-operations/schema.ts";
import { STATE_LABELS, type Tone } from "@/lib/format/tasks/outcome.ts";

const RESULTS: Record<ItemState, { label: string; tone: Tone; icon: LucideIcon }> = {
  waiting: { label: "Waiting", tone: "neutral", icon: Clock3 },
  done: { label: "Done", tone: "good", icon: Check },
  refused: { label: "Refused", tone: "bad", icon: X },
  skipped: { label: "Skipped", tone: "neutral", icon: Ban },
};

/** The result for each task, in the order of the list. */
export function BulkItems({ id, state, action }: { id: string; state: string; action: BulkAction }) {
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
