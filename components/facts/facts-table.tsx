"use client";

import { CellText } from "@/components/facts/cell-text.tsx";
import { CheckMark } from "@/components/facts/check-mark.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { type FactTable, ROWS_SHOWN } from "@/lib/text/facts/fact-table.ts";
import { plural } from "@/lib/text/labels.ts";

/** Rows shown of a list of more than ROWS_SHOWN; the sum always covers all rows. */
const SHOWN = 12;

/** Amounts come last, and stay in sight where the table is wider than its frame. */
const STAYS = "sticky right-0 bg-panel";

export function FactsTable({ table }: { table: FactTable }) {
  const isLong = table.rows.length > ROWS_SHOWN;
  const { open, setOpen, ref } = useFold<HTMLElement>(
    isLong ? { what: "lines", count: table.rows.length - SHOWN } : null,
  );
  const folded = isLong && !open;
  const hidden = table.rows.length + table.left - SHOWN;
  const last = table.columns.at(-1);
  return (
    <ScrollX label={table.label} ref={ref}>
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-line border-b text-left text-muted text-xs">
            {table.columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cn(
                  "px-3 py-2 font-medium",
                  column.numeric && "whitespace-nowrap text-right",
                  column.numeric && column === last && STAYS,
                )}
              >
                <PlainText text={column.label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(folded ? table.rows.slice(0, SHOWN) : table.rows).map((row, index) => (
            // Rows have no identity of their own, and the server defines their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <tr key={index} className="border-line border-b last:border-b-0">
              {row.map((cell, at) => {
                const column = table.columns[at]!;
                return (
                  <td
                    key={column.key}
                    className={cn(
                      "px-3 py-2",
                      column.numeric ? "whitespace-nowrap text-right" : "min-w-24",
                      column.numeric && column === last && STAYS,
                      !column.lead && !column.numeric && "text-muted",
                    )}
                  >
                    {cell.kind === "number" && cell.check ? (
                      <span className="flex flex-col items-end gap-1">
                        <CellText cell={{ ...cell, check: undefined }} />
                        <CheckMark check={cell.check} className="max-w-36" />
                      </span>
                    ) : (
                      <CellText cell={cell} />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
          {folded && (
            <tr>
              <td colSpan={table.columns.length} className="px-3 py-2 text-muted">
                {plural(hidden, "more line")}.{" "}
                <Button variant="link" className="px-0 max-md:min-h-11" onClick={() => setOpen(true)}>
                  Show {table.left > 0 ? "" : "all "}
                  {table.rows.length}
                </Button>
              </td>
            </tr>
          )}
          {!folded && table.left > 0 && (
            <tr>
              <td colSpan={table.columns.length} className="px-3 py-2 text-muted">
                {plural(table.left, "more line")}: as JSON.
              </td>
            </tr>
          )}
        </tbody>
        {table.sum && (
          <tfoot>
            <tr className="border-line border-t bg-sunken">
              <SumCells table={table} sum={table.sum} />
            </tr>
          </tfoot>
        )}
      </table>
    </ScrollX>
  );
}

/** The label, the result of the check, and the figure under its own column. */
function SumCells({ table, sum }: { table: FactTable; sum: NonNullable<FactTable["sum"]> }) {
  const at = table.columns.findIndex((column) => column.key === sum.columnKey);
  const after = table.columns.length - at - 1;
  const { number, money } = useFormats();
  const figure = (sum.inCents ? number : money)(sum.value);
  return (
    <>
      {at > 0 && (
        <th scope="row" colSpan={at} className="px-3 py-2 text-left font-semibold">
          <span className="inline-flex flex-wrap items-center gap-x-4 gap-y-1">
            {sum.label}
            {sum.check && <CheckMark check={sum.check} />}
          </span>
        </th>
      )}
      <td
        className={cn(
          "whitespace-nowrap px-3 py-2 text-right font-semibold",
          after === 0 && "sticky right-0 bg-sunken",
        )}
      >
        <span data-sent={String(sum.value)}>{figure}</span>
        {at === 0 && sum.check && <CheckMark check={sum.check} className="ml-3" />}
      </td>
      {after > 0 && <td colSpan={after} />}
    </>
  );
}
