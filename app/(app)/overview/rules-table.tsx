"use client";

import { Card } from "@/components/chart/chart-card.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Link } from "@/components/ui/link.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { formatWork } from "@/lib/requests/statistics/overview-words.ts";
import {
  MOST_WAITING,
  type Overview,
  type RuleFigures,
} from "@/lib/requests/statistics/statistics-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";

/** How decisions by the rules of the policy go. Nothing without a rule. */
export function RulesTable({ figures }: { figures: Overview }) {
  const { rules, now } = figures;
  const { number } = useFormats();
  if (rules.length === 0) return null;
  return (
    <Card
      title="Decisions by rule"
      note="Median times until enough people had agreed, or until a rejection"
      action={
        now.overdue > 0 && (
          <Link
            href="/inbox?tab=all&overdue=true&order=due"
            className="rounded-sm font-medium text-bad text-xs hover:underline max-md:py-3.5"
          >
            {now.overdue >= MOST_WAITING ? `${number(MOST_WAITING - 1)}+` : number(now.overdue)} overdue
          </Link>
        )
      }
    >
      <ScrollX label="Figures of each rule" className="-mx-4 -mb-4 rounded-t-none border-x-0 border-b-0">
        <table className="w-full border-collapse">
          <thead>
            <tr className="border-line border-b text-left text-muted text-xs">
              <th scope="col" className="px-4 py-2 font-medium">
                Rule and stage
              </th>
              {["Overdue now", "Decided", "In time", "Working time", "By the clock"].map((column) => (
                <th key={column} scope="col" className="whitespace-nowrap px-4 py-2 text-right font-medium">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          {rules.map((rule) => (
            <Rule key={rule.rule} figures={rule} />
          ))}
        </table>
      </ScrollX>
    </Card>
  );
}

/** A rule, and the stages in which people voted. */
function Rule({ figures }: { figures: RuleFigures }) {
  const { rule, overdue, count, due, within, stages } = figures;
  const { number } = useFormats();
  return (
    <tbody className="border-line border-b last:border-0">
      <tr>
        <th scope="row" className="min-w-40 px-4 py-2 text-left font-medium">
          {rule}
        </th>
        <td className={overdue > 0 ? "px-4 py-2 text-right font-medium text-bad" : NUMBER}>
          {number(overdue)}
        </td>
        <td className="px-4 py-2 text-right">{number(count)}</td>
        <td className="whitespace-nowrap px-4 py-2 text-right">
          {due === 0 ? "—" : `${number(within)} of ${number(due)}`}
        </td>
        <Times {...figures} />
      </tr>
      {stages.map((stage) => (
        <tr key={stage.stage} className="text-[13px]">
          <th scope="row" className="px-4 pb-2 pl-7 text-left font-normal text-muted">
            {stage.stage}
          </th>
          <td colSpan={3} />
          <Times {...stage} small />
        </tr>
      ))}
    </tbody>
  );
}

const NUMBER = "px-4 py-2 text-right text-muted";

function Times({
  workMs,
  clockMs,
  small = false,
}: Pick<RuleFigures, "workMs" | "clockMs"> & { small?: boolean }) {
  const look = small
    ? "whitespace-nowrap px-4 pb-2 text-right text-muted"
    : "whitespace-nowrap px-4 py-2 text-right";
  return (
    <>
      <td className={look}>{workMs === null ? "—" : formatWork(workMs)}</td>
      <td className={look}>{clockMs === null ? "—" : formatDuration(clockMs)}</td>
    </>
  );
}
