"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { BarRows } from "@/components/chart/bar-rows.tsx";
import { Card, ChartCard } from "@/components/chart/chart-card.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { type ReadAlready, useRead } from "@/components/shell/api-provider.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Age, TimeAgo } from "@/components/time/time.tsx";
import { useZoneKnown } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import { LoadFailure, Unread } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { formatLatency, RANGE_WORDS, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import { type Overview, RANGES, type Range, readRange } from "@/lib/requests/statistics/statistics-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { useFirstSteps } from "@/lib/web/client/onboarding.ts";
import { attentionCounts, oldestRequests, overview } from "@/lib/web/client/overview.ts";
import { failureGroups } from "@/lib/web/client/tasks/tasks.ts";
import { FailureGroups } from "../tasks/failures/failure-groups.tsx";
import { AgentCalls } from "./agent-calls.tsx";
import { AutomaticAnswers } from "./automatic-answers.tsx";
import { DeliveryChart } from "./delivery-chart.tsx";
import { FailureChart } from "./failure-chart.tsx";
import { OverviewTiles } from "./overview-tiles.tsx";
import { RulesTable } from "./rules-table.tsx";
import { ServersTable } from "./servers-table.tsx";
import { StateChart } from "./state-chart.tsx";
import { Stuck } from "./stuck.tsx";

const STATES = "failed,lost,expired";

/** The failed tasks of the period by cause, to be started again together. Nothing where none failed. `from`: the period's start. */
function FailedTasks({ from }: { from: string }) {
  const filter = { finishedAfter: from };
  const groups = useQuery(failureGroups({ ...filter, state: STATES }));
  if (groups.data?.items.length === 0 || groups.isPending) return null;
  return (
    <Card
      title="Failures by cause"
      note="Grouped by tool and error, ignoring numbers. The latest is shown"
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
      {groups.data && <FailureGroups groups={groups.data.items} filter={filter} />}
    </Card>
  );
}

/** The overview page. Figures cover all tasks; lists only those that the user may see. */
export function OverviewScreen({ read }: { read: ReadAlready }) {
  useRead(useQueryClient(), read);
  const range = readRange(useSearchParams().get("range"));
  const figures = useQuery(overview(range));
  const zoneKnown = useZoneKnown();
  const counts = useQuery(attentionCounts());
  const stuck = counts.data?.attention.stuck;
  const firstSteps = useFirstSteps();
  useTitle(stuck ? `Overview (${stuck} stuck)` : "Overview");
  return (
    <Page title="Overview" actions={<RangeSwitch range={range} />}>
      {firstSteps?.over === false && (
        // On wide screens the navigation has this link.
        <Link
          href="/get-started"
          className="flex min-h-11 items-center rounded-lg border border-line bg-panel px-4 text-accent md:hidden"
        >
          Get started: {firstSteps.left === 1 ? "1 step" : `${firstSteps.left} steps`} left
        </Link>
      )}
      {figures.isError && !figures.data && (
        <LoadFailure what="The figures" error={figures.error} onRetry={() => void figures.refetch()} />
      )}
      {/* The charts show times in the person's zone, which the server does not know. */}
      {(figures.isPending || !zoneKnown) && <Skeleton />}
      {figures.data && zoneKnown && (
        <>
          <OverviewTiles figures={figures.data} stuck={stuck} />
          <Stuck count={stuck} />
          <FailedTasks from={figures.data.from} />
          <div className="grid gap-4 lg:grid-cols-3">
            <StateChart figures={figures.data} className="lg:col-span-2" />
            <DecisionChart figures={figures.data} />
            <OldestWaiting />
            <FailureChart figures={figures.data} />
            <DeliveryChart figures={figures.data} />
          </div>
          <AgentCalls figures={figures.data} />
          <RulesTable figures={figures.data} />
          <AutomaticAnswers figures={figures.data} />
          <ServersTable figures={figures.data} />
          <Engines figures={figures.data} />
        </>
      )}
    </Page>
  );
}

function Skeleton() {
  return (
    <div aria-hidden className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
        {["a", "b", "c", "d", "e"].map((key) => (
          <div key={key} className="skeleton h-[92px]" />
        ))}
      </div>
      <div className="skeleton h-32" />
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="skeleton h-80 lg:col-span-2" />
        <div className="skeleton h-80" />
      </div>
    </div>
  );
}

/** The time range of the figures, kept in the URL. */
function RangeSwitch({ range }: { range: Range }) {
  return (
    <nav aria-label="Time range" className="flex gap-1.5">
      {RANGES.map((each) => (
        <a
          key={each}
          href={`/overview?range=${each}`}
          aria-current={each === range ? "true" : undefined}
          aria-label={RANGE_WORDS[each].long}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            window.history.replaceState(null, "", `/overview?range=${each}`);
          }}
          className={cn(
            "flex h-7 items-center rounded-md px-2 text-[13px] max-md:h-11",
            each === range ? "bg-accent-soft font-medium text-accent" : "bg-sunken text-muted hover:text-ink",
          )}
        >
          {RANGE_WORDS[each].short}
        </a>
      ))}
    </nav>
  );
}

/** The engine processes, which poll, deliver and start; without one no task moves. */
function Engines({ figures: { engines } }: { figures: Overview }) {
  const formats = useFormats();
  return (
    <div id="engines" className="grid scroll-mt-4">
      <Card title="Engines" note="Connections each engine serves, and how late it runs (p99, last minute)">
        {engines.length === 0 ? (
          <Notice tone="bad" title="No engine is running">
            <p>Until one runs, no task is started or checked, and no answer is sent. Nothing is lost.</p>
          </Notice>
        ) : (
          <FiguresTable
            label="Figures of each engine"
            className="-mx-4 -mb-4 rounded-t-none border-x-0 border-b-0"
            columns={["Engine", "Connections", "Lag", "Started", "Seen"]}
            rows={engines.map((engine) => ({
              key: engine.id,
              cells: [
                <span key="id" className="font-mono text-xs">
                  {engine.id}
                </span>,
                formats.number(engine.leases),
                engine.latenessMs === null ? "—" : formatLatency(engine.latenessMs, formats),
                <TimeAgo key="started" at={engine.startedAt} />,
                <TimeAgo key="seen" at={engine.seenAt} />,
              ],
            }))}
          />
        )}
      </Card>
    </div>
  );
}

/** The longest-waiting requests that the user may see. */
function OldestWaiting() {
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
      {!list.data && <Unread what="The list" query={list} className="h-40" />}
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

/** How long each server's questions wait for an answer: the bar is the median, the thin line p90. Nothing without one. */
function DecisionChart({ figures }: { figures: Overview }) {
  const { number } = useFormats();
  const rows = figures.servers
    .filter(({ decisions }) => decisions.p50Ms !== null)
    .sort((a, b) => b.decisions.p50Ms! - a.decisions.p50Ms!);
  if (rows.length === 0) return null;
  return (
    <ChartCard
      title="Time to decision"
      note="Bar: median. Thin line: p90"
      chart={
        <BarRows
          rows={rows.map(({ server, decisions }) => ({
            key: server.id,
            label: server.name,
            value: `${formatDuration(decisions.p50Ms!)} · ${formatDuration(decisions.p90Ms!)}`,
            // Square roots keep seconds visible beside hours.
            amount: Math.sqrt(decisions.p50Ms!),
            beyond: Math.sqrt(decisions.p90Ms!),
            href: `/inbox?${new URLSearchParams({ tab: "done", serverId: server.id })}`,
          }))}
        />
      }
      table={
        <FiguresTable
          label="Time to decision, as a table"
          columns={["Server", "Median", "p90", "Decisions"]}
          rows={rows.map(({ server, decisions }) => ({
            key: server.id,
            cells: [
              server.name,
              formatDuration(decisions.p50Ms!),
              formatDuration(decisions.p90Ms!),
              number(decisions.count),
            ],
          }))}
        />
      }
    />
  );
}

/** Replaces a chart without data. */
function NothingYet({ children }: { children: ReactNode }) {
  return <p className="py-4 text-muted">{children}</p>;
}
