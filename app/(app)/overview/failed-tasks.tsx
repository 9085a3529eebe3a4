"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "@/components/chart/chart-card.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { failureGroups } from "@/lib/api-client/tasks/tasks.ts";
import { tasksHref } from "@/lib/format/overview.ts";
import { FailureGroups } from "../tasks/failures/failure-groups.tsx";
import { NothingYet } from "./nothing-yet.tsx";

const STATES = "failed,lost,expired";

/** The failed tasks of the period by cause, to be started again together. `from`: the period's start. */
export function FailedTasks({ from }: { from: string }) {
  const filter = { finishedAfter: from };
  const groups = useQuery(failureGroups({ ...filter, state: STATES }));
  return (
    <Card
      title="Failures by cause"
      note="Grouped by error and tool; numbers ignored"
      action={
        <Link
          href={tasksHref({ ...filter, state: STATES })}
          className="rounded-sm text-accent text-xs hover:underline max-md:py-3.5"
        >
          Show in tasks
        </Link>
      }
    >
      {groups.isError && !groups.data && (
        <LoadFailure what="The causes" error={groups.error} onRetry={() => void groups.refetch()} />
      )}
      {groups.isPending && <div aria-hidden className="skeleton h-16" />}
      {groups.data?.items.length === 0 && <NothingYet>No failures in this period.</NothingYet>}
      {groups.data && groups.data.items.length > 0 && (
        <FailureGroups groups={groups.data.items} filter={filter} />
      )}
    </Card>
  );
}
