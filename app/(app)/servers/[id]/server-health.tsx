"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ChartCard } from "@/components/chart/chart-card.tsx";
import { Columns, type Series } from "@/components/chart/columns.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { LateLine } from "@/components/server/health.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { formatShare, stepLabel, stepName, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import {
  FAILURE_CLASSES,
  type FailureClass,
  RANGES,
  type Range,
  type ServerStats,
} from "@/lib/servers/call-statistics/call-statistics-schema.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { formatLatency } from "@/lib/text/formats/formats.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { serverKeys, serverStats } from "@/lib/web/client/servers.ts";
import { LatencyChart } from "./latency-chart.tsx";

const RANGE_WORDS: Record<Range, { short: string; long: string }> = {
  "1h": { short: "1 h", long: "the last hour" },
  "24h": { short: "24 h", long: "the last 24 hours" },
  "7d": { short: "7 d", long: "the last 7 days" },
};
const FAILURE_WORDS: Record<FailureClass, string> = {
  unreachable: "unreachable",
  timeout: "timed out",
  unauthorized: "credentials refused",
  rate_limited: "rate limited",
  bad_reply: "invalid reply",
};

/** Statistics of the engine's calls to the server. */
export function ServerHealth({ server }: { server: Server }) {
  const [range, setRange] = useState<Range>("24h");
  const stats = useQuery(serverStats(server.id, range));
  return (
    <section aria-labelledby="health-heading" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <h2 id="health-heading" className="font-medium text-[13px] text-muted">
          Calls in {RANGE_WORDS[range].long}
        </h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend of its own */}
        <div role="group" aria-label="Time range" className="flex gap-1.5">
          {RANGES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === range}
              aria-label={RANGE_WORDS[each].long}
              onClick={() => setRange(each)}
              className={cn(
                "flex h-7 items-center rounded-md px-2 text-[13px] max-md:h-11 max-md:px-3",
                each === range
                  ? "bg-accent-soft font-medium text-accent"
                  : "bg-sunken text-muted hover:text-ink",
              )}
            >
              {RANGE_WORDS[each].short}
            </button>
          ))}
        </div>
      </div>
      {stats.isPending && <div aria-hidden className="skeleton h-64" />}
      {stats.isError && !stats.data && (
        <LoadFailure what="The figures" error={stats.error} onRetry={() => void stats.refetch()} />
      )}
      {stats.data && (
        <>
          <Figures server={server} stats={stats.data} />
          {stats.data.calls > 0 && (
            <div className="grid gap-3 lg:grid-cols-2">
              <CallsChart server={server} stats={stats.data} />
              <LatencyChart stats={stats.data} />
            </div>
          )}
        </>
      )}
    </section>
  );
}

function Figures({ server, stats }: { server: Server; stats: ServerStats }) {
  const formats = useFormats();
  const failures = FAILURE_CLASSES.flatMap((name) =>
    stats.failures[name] ? [`${formats.number(stats.failures[name])} ${FAILURE_WORDS[name]}`] : [],
  );
  return (
    <div className="rounded-lg border border-line bg-panel">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 px-4 py-3.5 sm:grid-cols-3 lg:grid-cols-5">
        <Figure name="Answered">
          {stats.successRate === null ? "—" : formatShare(stats.successRate, formats)}
        </Figure>
        <Figure name="Calls">{formats.number(stats.calls)}</Figure>
        <Figure name="Median">{formatLatency(stats.p50Ms, formats)}</Figure>
        <Figure name="p90">{formatLatency(stats.p90Ms, formats)}</Figure>
        <Figure name="p99">{formatLatency(stats.p99Ms, formats)}</Figure>
      </dl>
      {stats.calls === 0 && (
        <p className="border-line border-t px-4 py-2.5 text-[13px] text-muted">
          No calls in this period. Intray calls a server only while tasks run on it.
        </p>
      )}
      {failures.length > 0 && (
        <p className="border-line border-t px-4 py-2.5 text-[13px]">Failed: {failures.join(", ")}.</p>
      )}
      {server.lastError && (
        <p className="border-line border-t px-4 py-2.5 text-[13px]">
          <span className="text-muted">Last error, </span>
          <TimeAgo at={server.lastError.at} />
          <span className="text-muted">: </span>
          {server.lastError.message}
        </p>
      )}
      {server.late && (
        <LateLine late={server.late} className="border-line border-t px-4 py-2.5 text-[13px]" />
      )}
      {server.circuit && <Circuit server={server} circuit={server.circuit} />}
    </div>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="font-semibold text-[17px] tabular-nums">{children}</dd>
    </div>
  );
}

/** The open circuit: the last call failed, and calls stop for a while. */
function Circuit({ server, circuit }: { server: Server; circuit: NonNullable<Server["circuit"]> }) {
  const me = useMe();
  const client = useQueryClient();
  const tryNow = useMutation({
    mutationFn: () => api.post(`/api/v1/servers/${server.id}/try`),
    onSuccess: () => toast(`Trying ${server.name}`),
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: serverKeys.all }),
  });
  const times = circuit.failures === 1 ? "once" : `${circuit.failures} times in a row`;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-t px-4 py-2.5 text-[13px]">
      <p className="min-w-60 flex-1">
        It failed {times}
        {circuit.openUntil ? (
          <>
            , so Intray does not call it for <TimeUntil at={circuit.openUntil} over="a moment" /> more.
          </>
        ) : (
          ". The next call shows whether it works again."
        )}
      </p>
      {!server.pause && me.may("servers:check") && (
        <Button size="sm" disabled={tryNow.isPending} onClick={() => tryNow.mutate()}>
          Try now
        </Button>
      )}
    </div>
  );
}

/** The number of the engine's calls, and how many failed. */
function CallsChart({ server, stats }: { server: Server; stats: ServerStats }) {
  const { steps, stepMs } = stats;
  const formats = useFormats();
  const here = { serverId: server.id };
  const series: Series[] = [
    { key: "answered", label: "Answered", fill: "solid", href: tasksHref(here) },
    { key: "failed", label: "Failed", fill: "dotted", href: tasksHref(here) },
  ];
  return (
    <ChartCard
      title="Calls"
      note="Press a column to see the tasks started then"
      chart={
        <Columns
          label="Calls"
          series={series}
          format={formats.count}
          columns={steps.map((step) => ({
            key: step.at,
            label: stepLabel(step.at, stepMs, formats),
            name: stepName(step.at, stepMs, formats),
            href: tasksHref({
              ...here,
              createdAfter: step.at,
              createdBefore: new Date(Date.parse(step.at) + stepMs).toISOString(),
            }),
            // Null: without calls the share of failures is undefined.
            amounts: step.calls === 0 ? null : [step.calls - step.failed, step.failed],
          }))}
        />
      }
      table={
        <FiguresTable
          label="Calls, as a table"
          columns={["Time", "Calls", "Failed", "Answered"]}
          rows={steps.toReversed().map((step) => ({
            key: step.at,
            cells: [
              stepName(step.at, stepMs, formats),
              formats.number(step.calls),
              formats.number(step.failed),
              step.successRate === null ? "—" : formatShare(step.successRate, formats),
            ],
          }))}
        />
      }
    />
  );
}
