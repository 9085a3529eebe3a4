"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "@/components/chart/chart-card.tsx";
import { Age } from "@/components/time/time.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { oldestRequests } from "@/lib/api-client/overview.ts";
import { NothingYet } from "./nothing-yet.tsx";

/** The longest-waiting requests that the user may see. */
export function OldestWaiting() {
  const list = useQuery(oldestRequests());
  const requests = list.data?.items ?? [];
  return (
    <Card
      title="Oldest waiting"
      note="Requests without an answer"
      action={
        <Link href="/inbox?tab=all" className="rounded-sm text-accent text-xs hover:underline max-md:py-3.5">
          Open inbox
        </Link>
      }
    >
      {list.isError && !list.data && (
        <LoadFailure what="The list" error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <div aria-hidden className="skeleton h-40" />}
      {list.data && requests.length === 0 && <NothingYet>No requests are waiting.</NothingYet>}
      <ul className="-mx-2 -mb-2 flex flex-col">
        {requests.map((request) => (
          <li key={request.id}>
            <Link
              href={`/inbox/${request.id}?tab=all`}
              className="flex items-baseline gap-3 rounded-md px-2 py-1.5 hover:bg-sunken max-md:py-3"
            >
              <span className="min-w-0 flex-1 truncate">
                {request.label ?? request.tool}
                <span className="text-muted text-xs"> · {request.server.name}</span>
              </span>
              <Age at={request.createdAt} className="shrink-0 text-[13px] text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
