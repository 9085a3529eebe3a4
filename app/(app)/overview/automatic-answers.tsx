"use client";

import { Card } from "@/components/chart/chart-card.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Link } from "@/components/ui/link.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import type { Overview } from "@/lib/requests/statistics/statistics-schema.ts";

/** What rules answered by themselves in the period, and where people decided otherwise. Nothing where no rule said anything. */
export function AutomaticAnswers({ figures: { automatic } }: { figures: Overview }) {
  const me = useMe();
  const { number } = useFormats();
  if (automatic.length === 0) return null;
  return (
    <Card
      title="Automatic answers"
      note="Answers by rules of the policy in this period, compared with what people decided"
      action={
        me.may("settings:manage") && (
          <Link
            href="/settings/policy#automatic"
            className="rounded-sm text-accent text-xs hover:underline max-md:py-3.5"
          >
            Show in policy
          </Link>
        )
      }
    >
      <ScrollX
        label="Automatic answers of each rule"
        className="-mx-4 -mb-4 rounded-t-none border-x-0 border-b-0"
      >
        <table className="w-full border-collapse">
          <thead>
            <tr className="border-line border-b text-left text-muted text-xs">
              <th scope="col" className="px-4 py-2 font-medium">
                Rule
              </th>
              {["Answered", "As people did", "Disagreements"].map((column) => (
                <th key={column} scope="col" className="whitespace-nowrap px-4 py-2 text-right font-medium">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {automatic.map(({ rule, answered, agreed, disagreed }) => (
              <tr key={rule} className="border-line border-b last:border-0">
                <th scope="row" className="px-4 py-2 text-left font-medium">
                  <PlainText text={rule} />
                </th>
                <td className="px-4 py-2 text-right tabular-nums">{number(answered)}</td>
                <td className="px-4 py-2 text-right tabular-nums">{number(agreed)}</td>
                <td
                  className={
                    disagreed > 0
                      ? "px-4 py-2 text-right font-medium text-bad tabular-nums"
                      : "px-4 py-2 text-right text-muted tabular-nums"
                  }
                >
                  {number(disagreed)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </Card>
  );
}
