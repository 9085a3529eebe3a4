"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ReadList } from "@/components/people/read-list.tsx";
import { TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { taskReads } from "@/lib/api-client/tasks/reads.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** Who looked at the task, for who asked for it and for admins. */
export function TaskAccess({ task }: { task: TaskDetail }) {
  const reads = useInfiniteQuery(taskReads(task.id));
  if (reads.isError && !reads.data)
    return <LoadFailure what="Who looked" error={reads.error} onRetry={() => void reads.refetch()} />;
  if (!reads.data) return <TimelineSkeleton />;
  const items = reads.data.pages.flatMap((page) => page.items);
  return (
    <div className="flex flex-col gap-3">
      {items.length === 0 ? (
        <p className="text-muted">Nobody has looked at more than the request and the lists.</p>
      ) : (
        <div className="rounded-lg border border-line bg-panel p-4">
          <ReadList reads={items} whose={actorWords(task.requestedBy)} label="Who looked, newest first" />
        </div>
      )}
      <LoadMore query={reads} />
      <p className="text-muted text-xs">
        Protocol messages, documents, exports and lists seen as {actorWords(task.requestedBy)}; the same again
        within ten minutes is one. Looking at the task, its requests or a list is not recorded.
      </p>
    </div>
  );
}
