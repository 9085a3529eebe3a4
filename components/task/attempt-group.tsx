"use client";

import { useQuery } from "@tanstack/react-query";
import { TaskGroup } from "@/components/task/task-group.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { attempts } from "@/lib/web/client/tasks/tasks.ts";

/** The attempts at one call; each is a task of its own. */
export function AttemptGroup({ task }: { task: Pick<TaskSummary, "id" | "attempts"> }) {
  const { data } = useQuery(attempts(task.id));
  const last = data?.items.at(-1);
  if (!data || !last) return null;
  return (
    <TaskGroup
      title="Attempts"
      note={noteOf(last)}
      tasks={data.items}
      shown={task.id}
      nameOf={({ attempt, attempts }) => `Attempt ${attempt} of ${attempts}`}
      aside={({ createdAt, nextAttemptAt }) => (
        <span className="text-[13px] text-muted">
          {nextAttemptAt ? (
            <>
              begins in <TimeUntil at={nextAttemptAt} over="a moment" />
            </>
          ) : (
            <TimeAgo at={createdAt} />
          )}
        </span>
      )}
    />
  );
}

function noteOf({ state, attempt, attempts, nextAttemptAt }: TaskSummary): string {
  if (nextAttemptAt) return "It failed and is tried again. Cancel the attempt that waits to stop that.";
  if (state === "failed" && attempt === attempts) return "No attempt is left.";
  return attempt < attempts ? "A failure is tried again by itself." : "This is the last attempt.";
}
