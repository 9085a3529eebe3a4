"use client";

import { type ReactNode, useState } from "react";
import { CellText, CheckMark } from "@/components/facts/cell-text.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { useMeasured } from "@/components/text/use-measured.ts";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import type { Cell } from "@/lib/text/facts/cells.ts";
import { type FactTable, ROWS_SHOWN } from "@/lib/text/facts/fact-table.ts";
import { plural } from "@/lib/text/labels.ts";

/** Rows shown of a list of more than ROWS_SHOWN; the sum always covers all rows. */
const SHOWN = 12;

/** Columns, or where the frame is too narrow one row below another, so that no column is out of sight. */
export function FactsTable({ table }: { table: FactTable }) {
  const isLong = table.rows.length > ROWS_SHOWN;
  const { open, setOpen, ref } = useFold<HTMLElement>(
    isLong ? { what: "lines", count: table.rows.length - SHOWN } : null,
  );
  const folded = isLong && !open;
  const hidden = table.rows.length + table.left - SHOWN;
  // The width that the columns need, in px; 0: they fit.
  const [needed, setNeeded] = useState(0);
  useMeasured(ref, ({ clientWidth, scrollWidth }) =>
    setNeeded((before) =>
      before > 0 ? (clientWidth < before ? before : 0) : scrollWidth > clientWidth + 1 ? scrollWidth : 0,
    ),
  );
  const rows = folded ? table.rows.slice(0, SHOWN) : table.rows;
  const more = folded ? (
    <>
      {plural(hidden, "more line")}.{" "}
      <Button variant="link" className="px-0 max-md:min-h-11" onClick={() => setOpen(true)}>
        Show {table.left > 0 ? "" : "all "}
        {table.rows.length}
      </Button>
    </>
  ) : (
    table.left > 0 && `${plural(table.left, "more line")}: as JSON.`
  );
  return (
    <ScrollX label={table.label} ref={ref}>
      {needed > 0 ? (
        <Blocks table={table} rows={rows} more={more} />
      ) : (
        <Columns table={table} rows={rows} more={more} />
      )}
    </ScrollX>
  );
}

interface Shown {
  table: FactTable;
  rows: Cell[][];
  /** Says which rows are left out. */
  more: ReactNode;
}

function Columns({ table, rows, more }: Shown) {
  return (
    <table className="w-full border-collapse">
      <thead>
        <tr className="border-line border-b text-left text-muted text-xs">
          {table.columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              className={cn("px-3 py-2 font-medium", column.numeric && "whitespace-nowrap text-right")}
            >
              <PlainText text={column.label} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
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
        {more && (
          <tr>
            <td colSpan={table.columns.length} className="px-3 py-2 text-muted">
              {more}
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
  );
}

function Blocks({ table, rows, more }: Shown) {
  const { sum } = table;
  return (
    <>
      <ul>
        {rows.map((row, index) => (
          // Rows have no identity of their own, and the server defines their order.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index} className="border-line border-b px-3 py-2 last:border-b-0">
            <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-1">
              {row.map((cell, at) => (
                <div key={table.columns[at]!.key} className="col-span-2 grid grid-cols-subgrid">
                  <dt className="max-w-[40vw] break-words text-muted">
                    <PlainText text={table.columns[at]!.label} />
                  </dt>
                  <dd className="wrap-anywhere min-w-0 whitespace-pre-wrap">
                    <CellText cell={cell} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
      {more && <p className="border-line border-t px-3 py-2 text-muted">{more}</p>}
      {sum && (
        <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line border-t bg-sunken px-3 py-2 font-semibold">
          {sum.label}
          <SumFigure sum={sum} />
          {sum.check && <CheckMark check={sum.check} />}
        </p>
      )}
    </>
  );
}

/** The label, the result of the check, and the figure under its own column. */
function SumCells({ table, sum }: { table: FactTable; sum: NonNullable<FactTable["sum"]> }) {
  const at = table.columns.findIndex((column) => column.key === sum.columnKey);
  const after = table.columns.length - at - 1;
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
      <td className="whitespace-nowrap px-3 py-2 text-right font-semibold">
        <SumFigure sum={sum} />
        {at === 0 && sum.check && <CheckMark check={sum.check} className="ml-3" />}
      </td>
      {after > 0 && <td colSpan={after} />}
    </>
  );
}

function SumFigure({ sum }: { sum: NonNullable<FactTable["sum"]> }) {
  const { number, money } = useFormats();
  return (
    <span data-sent={String(sum.value)} className="whitespace-nowrap tabular-nums">
      {(sum.inCents ? number : money)(sum.value)}
    </span>
  );
}
