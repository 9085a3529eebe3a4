import { BarRows } from "@/components/chart/bar-rows.tsx";
import { ChartCard } from "@/components/chart/chart-card.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { FAILURE_KINDS } from "@/lib/requests/statistics/measures.ts";
import { FAILURE_WORDS, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import type { Overview } from "@/lib/requests/statistics/statistics-schema.ts";

/** How tasks failed, and at which server most often. Nothing where none did. */
export function FailureChart({ figures }: { figures: Overview }) {
  const { number } = useFormats();
  const rows = FAILURE_KINDS.map((kind) => ({
    kind,
    count: figures.servers.reduce((sum, { failureKinds }) => sum + (failureKinds[kind] ?? 0), 0),
    most: figures.servers.toSorted((a, b) => (b.failureKinds[kind] ?? 0) - (a.failureKinds[kind] ?? 0))[0],
  }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  if (rows.length === 0) return null;
  return (
    <ChartCard
      title="Failures by kind"
      note="Tasks that ended in this period"
      chart={
        <BarRows
          fill="dotted"
          rows={rows.map(({ kind, count }) => ({
            key: kind,
            label: FAILURE_WORDS[kind].label,
            value: number(count),
            amount: count,
            href: tasksHref({ state: FAILURE_WORDS[kind].state, finishedAfter: figures.from }),
          }))}
        />
      }
      table={
        <FiguresTable
          label="Failures by kind, as a table"
          columns={["Kind", "Tasks", "Most on"]}
          rows={rows.map(({ kind, count, most }) => ({
            key: kind,
            cells: [
              FAILURE_WORDS[kind].label,
              number(count),
              most ? `${most.server.name} (${number(most.failureKinds[kind] ?? 0)})` : "—",
            ],
          }))}
        />
      }
    />
  );
}
