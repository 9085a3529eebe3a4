"use client";

import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Download, History, SearchX } from "lucide-react";
import { useMemo } from "react";
import { Page } from "@/components/shell/pages/page.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { StepUp } from "@/components/shell/session/step-up.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { downloadAsPerson } from "@/lib/api-client/base/download.ts";
import { eventList } from "@/lib/api-client/events.ts";
import { ActivityFilters } from "./activity-filters.tsx";
import { ActivityList, ActivitySkeleton } from "./activity-list.tsx";
import { useActivityFilter } from "./use-activity-filter.ts";
import { useVerification, VerificationNotice, VerifyButton } from "./verification.tsx";

export function ActivityScreen() {
  const me = useMe();
  useTitle("Activity");
  if (!me.may("events:read"))
    return (
      <Page title="Activity">
        <Notice title="Only admins read the history of the organization.">
          What happened to a task stands on the task itself.
        </Notice>
      </Page>
    );
  return <Activity />;
}

function Activity() {
  const { filter, shown, change } = useActivityFilter();
  const list = useInfiniteQuery(eventList(filter));
  const events = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const verification = useVerification();
  const download = useMutation({ mutationFn: () => downloadAsPerson("/api/v1/events/export") });
  const filtered = Object.values(shown).some((value) => value !== "");
  const clear = () => change({ type: "", actorId: "", taskId: "", inputRequestId: "", from: "", to: "" });
  return (
    <Page
      title="Activity"
      actions={
        <>
          <Button disabled={download.isPending} onClick={() => download.mutate()}>
            <Download aria-hidden strokeWidth={1.75} />
            Export
          </Button>
          <VerifyButton verification={verification} />
        </>
      }
    >
      <StepUp />
      {download.error && <Notice live tone="bad" title={errorSentence(download.error)} />}
      <VerificationNotice verification={verification} />
      <ActivityFilters shown={shown} filtered={filtered} onChange={change} onClear={clear} />
      {list.isPending ? (
        <ActivitySkeleton />
      ) : list.isError && !list.data ? (
        <LoadFailure what="The history" error={list.error} onRetry={() => void list.refetch()} />
      ) : events.length === 0 ? (
        <div className="rounded-lg border border-line bg-panel">
          {filtered ? (
            <Empty
              icon={SearchX}
              title="Nothing of that kind happened"
              action={<Button onClick={clear}>Show everything</Button>}
            />
          ) : (
            <Empty icon={History} title="Nothing has happened yet" />
          )}
        </div>
      ) : (
        <div>
          <ActivityList events={events} onActor={(actorId) => change({ actorId })} />
          <LoadMore query={list} />
        </div>
      )}
    </Page>
  );
}
