"use client";

import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Download, History, SearchX, ShieldCheck } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { SearchField } from "@/components/list/search-field.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Verification } from "@/lib/history/events/event-schema.ts";
import { describeVerification } from "@/lib/history/events/event-words.ts";
import { NOT_SEARCHED } from "@/lib/requests/words/filter-words.ts";
import { downloadAsPerson, errorSentence } from "@/lib/web/client/base/client.ts";
import { type EventFilter, eventList, verifyHistory } from "@/lib/web/client/events.ts";
import { ActivityFilters } from "./activity-filters.tsx";
import { ActivityList, ActivitySkeleton } from "./activity-list.tsx";

const NAMES = ["q", "type", "actorId", "taskId", "inputRequestId", "from", "to"] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The filter in two forms: `shown` as in the URL, with days for `from` and `to`, and `filter` for the API,
 * with instants.
 */
function useActivityFilter(): {
  filter: EventFilter;
  shown: EventFilter;
  change: (next: Partial<EventFilter>) => void;
} {
  const params = useSearchParams();
  const shown = Object.fromEntries(
    NAMES.map((name) => [name, params.get(name) ?? ""]),
  ) as unknown as EventFilter;
  const change = (next: Partial<EventFilter>) => {
    const set = Object.entries({ ...shown, ...next }).filter(([, value]) => value !== "");
    window.history.replaceState(null, "", `/activity${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`);
  };
  return { shown, change, filter: { ...shown, from: midnight(shown.from, 0), to: midnight(shown.to, 1) } };
}

/**
 * Returns when a day begins in the person's time zone, `later` days after `day`; empty for an invalid day.
 */
function midnight(day: string, later: number): string {
  if (!DAY.test(day)) return "";
  const date = new Date(`${day}T00:00`);
  if (Number.isNaN(date.getTime())) return "";
  date.setDate(date.getDate() + later);
  return date.toISOString();
}

export function ActivityScreen() {
  const me = useMe();
  useTitle("Activity");
  if (!me.may("events:read"))
    return (
      <Page title="Activity">
        <Notice title="Only admins read the history of the organization.">
          The page of each task has the task’s own history.
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
  const clear = () =>
    change({ q: "", type: "", actorId: "", taskId: "", inputRequestId: "", from: "", to: "" });
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
      {download.error && <Notice live tone="bad" title={errorSentence(download.error)} />}
      <VerificationNotice verification={verification} />
      <SearchField
        label="Search the activity"
        value={shown.q}
        onChange={(q) => change({ q })}
        className="w-full md:max-w-md"
      />
      {list.data?.pages[0]?.contentNotSearched && <p className="text-[13px] text-muted">{NOT_SEARCHED}</p>}
      <ActivityFilters shown={shown} filtered={filtered} onChange={change} onClear={clear} />
      {list.isPending ? (
        <ActivitySkeleton />
      ) : list.isError && !list.data ? (
        <LoadFailure what="The history" error={list.error} onRetry={() => void list.refetch()} />
      ) : events.length === 0 ? (
        <div className="rounded-lg border border-line bg-panel">
          {list.hasNextPage ? (
            <Empty
              icon={SearchX}
              title="Not found in the newest lines"
              action={
                <Button disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
                  {list.isFetchingNextPage ? "Searching…" : "Search older lines"}
                </Button>
              }
            />
          ) : filtered ? (
            <Empty
              icon={SearchX}
              title="No events match"
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

type State =
  | { step: "idle" }
  | { step: "checking" }
  | { step: "done"; found: Verification }
  | { step: "failed"; sentence: string };

/** Verifies the whole history on demand. */
function useVerification() {
  const [state, setState] = useState<State>({ step: "idle" });
  const start = async () => {
    setState({ step: "checking" });
    try {
      setState({ step: "done", found: await verifyHistory() });
    } catch (error) {
      setState({ step: "failed", sentence: errorSentence(error) });
    }
  };
  return { state, start };
}

type Checked = ReturnType<typeof useVerification>;

function VerifyButton({ verification: { state, start } }: { verification: Checked }) {
  const checking = state.step === "checking";
  return (
    <Button variant="primary" aria-disabled={checking} onClick={() => !checking && void start()}>
      <ShieldCheck aria-hidden strokeWidth={1.75} />
      {checking ? "Verifying…" : "Verify"}
    </Button>
  );
}

function VerificationNotice({ verification: { state } }: { verification: Checked }) {
  const formats = useFormats();
  if (state.step === "failed")
    return (
      <Notice live tone="bad" title="The history could not be verified">
        {state.sentence}
      </Notice>
    );
  if (state.step !== "done") return null;
  const { title, detail } = describeVerification(state.found, formats);
  return (
    <Notice live tone={state.found.ok ? "good" : "bad"} title={title}>
      <p>{detail}</p>
      {state.found.ok && state.found.head && (
        <p>
          Keep this hash of the last entry elsewhere. It proves later that no earlier entry was changed:{" "}
          <code className="break-all font-mono text-xs">{state.found.head}</code>
        </p>
      )}
    </Notice>
  );
}
