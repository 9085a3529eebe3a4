import { BarRows } from "@/components/chart/bar-rows.tsx";
import { ChartCard } from "@/components/chart/chart-card.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import type { Overview } from "@/lib/statistics/schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { NothingYet } from "./nothing-yet.tsx";

/** How long each server's questions wait for an answer: the bar is the median, the thin line p90. */
export function DecisionChart({ figures }: { figures: Overview }) {
  const { number } = useFormats();
  const rows = figures.servers
    .filter(({ decisions }) => decisions.p50Ms !== null)
    .sort((a, b) => b.decisions.p50Ms! - a.decisions.p50Ms!);
  return (
    <ChartCard
      title="Time to decision"
      note="Bar: median. Thin line: p90"
      chart={
        rows.length === 0 ? (
          <NothingYet>No decisions in this period.</NothingYet>
        ) : (
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
        )
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
