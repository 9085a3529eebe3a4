"use client";

import { useQuery } from "@tanstack/react-query";
import { taskEvents } from "@/components/api/task-logs.ts";
import { Timeline, TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";

export function TaskHistory({ id }: { id: string }) {
  const events = useQuery(taskEvents(id));
  if (events.data) {
    return (
      <>
        <Timeline events={events.data.items} />
        {events.data.truncated && <p className="text-muted">There is more than is shown here.</p>}
      </>
    );
  }
  if (events.isError) {
    return <LoadFailure what="The timeline" error={events.error} onRetry={() => void events.refetch()} />;
  }
  return <TimelineSkeleton />;
}
