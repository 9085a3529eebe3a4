import { Card } from "@/components/chart/chart-card.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { formatLatency } from "@/lib/format/overview.ts";
import type { Overview } from "@/lib/statistics/schema.ts";

/** The engine processes, which poll, deliver and start; without one no task moves. */
export function Engines({ figures: { engines } }: { figures: Overview }) {
  const formats = useFormats();
  return (
    <div id="engines" className="grid scroll-mt-4">
      <Card title="Engines" note="Connections each engine serves, and how late it runs (p99, last minute)">
        {engines.length === 0 ? (
          <Notice tone="bad" title="No engine is running">
            <p>
              Tasks aren’t started or checked, and answers aren’t delivered, until one runs. Nothing is lost:
              answers are kept and sent then.
            </p>
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
