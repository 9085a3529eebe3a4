import { ChartCard } from "@/components/chart/chart-card.tsx";
import { Columns, type Series } from "@/components/chart/columns.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { formatShare, stepLabel, stepName, tasksHref } from "@/lib/format/overview.ts";
import type { ServerStats } from "@/lib/servers/call-statistics/schema.ts";
import type { Server } from "@/lib/servers/schema.ts";

/** The number of the engine's calls, and how many failed. */
export function CallsChart({ server, stats }: { server: Server; stats: ServerStats }) {
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
      note="A column leads to the tasks started then"
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
