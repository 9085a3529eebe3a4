import { BarRows } from "@/components/chart/bar-rows.tsx";
import { ChartCard } from "@/components/chart/chart-card.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { DELIVERY_RESULTS } from "@/lib/requests/statistics/measures.ts";
import { RUNG_WORDS, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import type { Overview } from "@/lib/requests/statistics/statistics-schema.ts";

/** Answers by delivery method, with their results. Nothing without one. */
export function DeliveryChart({ figures }: { figures: Overview }) {
  const { number } = useFormats();
  const rows = figures.deliveries.toSorted((a, b) => b.accepted - a.accepted);
  if (rows.length === 0) return null;
  return (
    <div id="deliveries" className="grid scroll-mt-4">
      <ChartCard
        title="Answers by delivery method"
        note="Accepted by the server"
        chart={
          <BarRows
            rows={rows.map(({ rung, accepted, flagged, undeliverable }) => ({
              key: rung,
              label: RUNG_WORDS[rung],
              value: [
                number(accepted),
                ...(flagged > 0 ? [`${number(flagged)} kept asking`] : []),
                ...(undeliverable > 0 ? [`${number(undeliverable)} undeliverable`] : []),
              ].join(" · "),
              amount: accepted,
              href:
                flagged + undeliverable > 0
                  ? tasksHref({ attention: "delivery_flagged,undeliverable" })
                  : "/inbox?tab=done",
            }))}
          />
        }
        table={
          <FiguresTable
            label="Answers by delivery method, as a table"
            columns={["Method", "Accepted", "Confirmed", "Retried", "Kept asking", "Undeliverable"]}
            rows={rows.map((row) => ({
              key: row.rung,
              cells: [RUNG_WORDS[row.rung], ...DELIVERY_RESULTS.map((result) => number(row[result]))],
            }))}
          />
        }
      />
    </div>
  );
}
