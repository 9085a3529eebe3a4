import { ChartCard } from "@/components/chart/chart-card.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { stepLabel, stepName } from "@/lib/requests/statistics/overview-words.ts";
import type { ServerStats } from "@/lib/servers/call-statistics/call-statistics-schema.ts";
import { formatLatency } from "@/lib/text/formats/formats.ts";

const [WIDTH, HEIGHT] = [600, 160];

/**
 * The server's response times: the median as a solid line, p90 as a dashed one; one point per step with
 * calls.
 */
export function LatencyChart({ stats }: { stats: ServerStats }) {
  const { steps, stepMs } = stats;
  const formats = useFormats();
  const top = Math.max(...steps.map(({ p90Ms }) => p90Ms ?? 0), 1) * 1.1;
  const x = (index: number) => (steps.length === 1 ? 0 : (index / (steps.length - 1)) * WIDTH);
  const y = (ms: number) => HEIGHT - (ms / top) * HEIGHT;
  const lines = (of: "p50Ms" | "p90Ms") =>
    steps.flatMap((step, index) => {
      const ms = step[of];
      if (ms === null) return [];
      const isFirst = index === 0 || steps[index - 1]?.[of] === null;
      return `${isFirst ? "M" : "L"}${x(index).toFixed(1)} ${y(ms).toFixed(1)}`;
    });
  const dots = (of: "p50Ms" | "p90Ms") =>
    steps.flatMap((step, index) => {
      const ms = step[of];
      return ms === null ? [] : `M${x(index).toFixed(1)} ${y(ms).toFixed(1)}h0`;
    });
  return (
    <ChartCard
      title="Latency"
      note="Of calls that were answered"
      chart={
        stats.p50Ms === null ? (
          <p className="py-12 text-center text-muted">No answered calls in this period.</p>
        ) : (
          <div className="flex flex-col gap-2">
            <div className="flex gap-2">
              <div
                aria-hidden
                className="flex h-44 w-12 lg:h-56 shrink-0 flex-col justify-between text-right text-[11px] text-muted tabular-nums"
              >
                <span>{formatLatency(top, formats)}</span>
                <span>0</span>
              </div>
              <svg
                role="img"
                aria-label={`Median ${formatLatency(stats.p50Ms, formats)}, p90 ${formatLatency(stats.p90Ms, formats)}; “as table” has each step`}
                viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`}
                preserveAspectRatio="none"
                className="h-44 min-w-0 flex-1 overflow-visible lg:h-56"
              >
                <path d={`M0 ${HEIGHT}H${WIDTH}`} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
                <path
                  d={lines("p90Ms").join("")}
                  fill="none"
                  stroke="var(--wait)"
                  strokeWidth={1.75}
                  strokeDasharray="5 4"
                  strokeLinecap="round"
                  vectorEffect="non-scaling-stroke"
                />
                <path
                  d={lines("p50Ms").join("")}
                  fill="none"
                  stroke="var(--accent)"
                  strokeWidth={2}
                  strokeLinecap="round"
                  vectorEffect="non-scaling-stroke"
                />
                {(["p90Ms", "p50Ms"] as const).map((of) => (
                  <path
                    key={of}
                    d={dots(of).join("")}
                    stroke={of === "p90Ms" ? "var(--wait)" : "var(--accent)"}
                    strokeWidth={5}
                    strokeLinecap="round"
                    vectorEffect="non-scaling-stroke"
                  />
                ))}
              </svg>
            </div>
            <div aria-hidden className="ml-14 flex justify-between text-[11px] text-muted">
              <span>{stepLabel(steps[0]!.at, stepMs, formats)}</span>
              <span>{stepLabel(steps.at(-1)!.at, stepMs, formats)}</span>
            </div>
            <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-muted">
              <li className="flex items-center gap-1.5">
                <span aria-hidden className="w-5 border-accent border-t-2" />
                Median
              </li>
              <li className="flex items-center gap-1.5">
                <span aria-hidden className="w-5 border-wait border-t-2 border-dashed" />
                p90
              </li>
            </ul>
          </div>
        )
      }
      table={
        <FiguresTable
          label="Latency, as a table"
          columns={["Time", "Median", "p90", "p99"]}
          rows={steps.toReversed().map((step) => ({
            key: step.at,
            cells: [
              stepName(step.at, stepMs, formats),
              ...[step.p50Ms, step.p90Ms, step.p99Ms].map((ms) => formatLatency(ms, formats)),
            ],
          }))}
        />
      }
    />
  );
}
