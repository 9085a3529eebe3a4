import { ChartCard } from "@/components/chart/chart-card.tsx";
import { Columns, type Series } from "@/components/chart/columns.tsx";
import { FiguresTable } from "@/components/chart/figures-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import {
  failedIn,
  RANGE_WORDS,
  stepLabel,
  stepName,
  tasksHref,
} from "@/lib/requests/statistics/overview-words.ts";
import type { Overview, Step } from "@/lib/requests/statistics/statistics-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";

/** The number of tasks per state over time, and the number that failed. Nothing where all are 0. */
export function StateChart({ figures, className }: { figures: Overview; className?: string }) {
  const { steps, stepMs, from, range } = figures;
  const formats = useFormats();
  const { count } = formats;
  const series: Series[] = [
    { key: "working", label: "Working", fill: "solid", href: tasksHref({ state: WORKING }) },
    {
      key: "waiting",
      label: "Waiting for a person",
      fill: "striped",
      href: tasksHref({ state: "input_required" }),
    },
    {
      key: "failed",
      label: "Failed",
      fill: "dotted",
      href: tasksHref({ state: FAILED, finishedAfter: from }),
    },
  ];
  const rows = steps.map((step) => ({ step, amounts: amountsOf(step) }));
  if (!rows.some(({ amounts }) => amounts?.some((amount) => amount > 0))) return null;
  return (
    <ChartCard
      title="Tasks by state"
      note={`${capitalise(RANGE_WORDS[range].long)}. Open tasks on average, failed tasks in total`}
      className={className ?? ""}
      chart={
        <Columns
          label="Tasks by state"
          series={series}
          format={count}
          columns={rows.map(({ step, amounts }) => ({
            key: step.at,
            label: stepLabel(step.at, stepMs, formats),
            name: stepName(step.at, stepMs, formats),
            href: tasksHref({
              createdAfter: step.at,
              createdBefore: new Date(Date.parse(step.at) + stepMs).toISOString(),
            }),
            amounts,
          }))}
        />
      }
      table={
        <FiguresTable
          label="Tasks by state, as a table"
          columns={["Time", "Working", "Waiting for a person", "Started", "Completed", "Failed"]}
          rows={rows.toReversed().map(({ step, amounts }) => ({
            key: step.at,
            cells: [
              stepName(step.at, stepMs, formats),
              ...(step.open && amounts ? amounts.slice(0, 2).map(count) : ["—", "—"]),
              count(step.started),
              count(step.ended.completed),
              count(failedIn(step)),
            ],
          }))}
        />
      }
    />
  );
}

const WORKING = "queued,starting,start_unknown,working";
const FAILED = "failed,lost,expired";

/** Returns averages of open tasks and the number that failed, as the table has them; null if nothing is known. */
function amountsOf(step: Step): number[] | null {
  const failed = failedIn(step);
  if (!step.open) return failed > 0 ? [0, 0, failed] : null;
  const { queued, starting, start_unknown, working, input_required } = step.open;
  return [queued + starting + start_unknown + working, input_required, failed];
}
