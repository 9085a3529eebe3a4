import { Check, TriangleAlert } from "lucide-react";
import { CellText } from "@/components/facts/cell-text.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import type { FactTable } from "@/lib/format/fact-table.ts";
import { formatMoney, judgeSum } from "@/lib/format/money.ts";

export function FactsTable({ table, message }: { table: FactTable; message?: string }) {
  const sum = table.sum;
  return (
    <ScrollX label={table.label}>
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-line border-b text-left text-muted text-xs">
            {table.columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cn("px-3 py-2 font-medium", column.numeric && "text-right")}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // Lines have no identity of their own and their order is the server's.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <tr key={index} className="border-line border-b last:border-b-0">
              {row.map((cell, column) => (
                <td
                  key={table.columns[column]!.key}
                  className={cn(
                    "px-3 py-2",
                    table.columns[column]!.numeric && "whitespace-nowrap text-right",
                    !table.columns[column]!.lead && !table.columns[column]!.numeric && "text-muted",
                  )}
                >
                  <CellText cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {sum && (
          <tfoot>
            <tr className="border-line border-t bg-sunken">
              <SumCells table={table} sum={sum} {...(message ? { message } : {})} />
            </tr>
          </tfoot>
        )}
      </table>
    </ScrollX>
  );
}

/** The label, the verdict, and the figure under its own column. */
function SumCells({
  table,
  sum,
  message,
}: {
  table: FactTable;
  sum: NonNullable<FactTable["sum"]>;
  message?: string;
}) {
  const at = table.columns.findIndex((column) => column.key === sum.columnKey);
  const after = table.columns.length - at - 1;
  const figure = (
    <td className="whitespace-nowrap px-3 py-2 text-right font-semibold">{formatMoney(sum.value)}</td>
  );
  return (
    <>
      {at > 0 && (
        <th scope="row" colSpan={at} className="px-3 py-2 text-left font-semibold">
          <span className="inline-flex flex-wrap items-center gap-x-4 gap-y-1">
            {sum.label}
            {message && <Verdict sum={sum.value} message={message} />}
          </span>
        </th>
      )}
      {figure}
      {after > 0 && <td colSpan={after} />}
    </>
  );
}

function Verdict({ sum, message }: { sum: number; message: string }) {
  const judgement = judgeSum(sum, message);
  if (judgement.kind === "not_stated") return null;
  if (judgement.kind === "agrees") {
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-good text-xs">
        <Check aria-hidden className="size-3.5" strokeWidth={2} />
        agrees with the message
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-1.5 rounded-md bg-bad-soft px-1.5 py-0.5 font-medium text-bad text-xs">
      <TriangleAlert aria-hidden className="size-3.5 shrink-0" strokeWidth={2} />
      the message says {judgement.stated.map(formatMoney).join(" and ")}
    </span>
  );
}
