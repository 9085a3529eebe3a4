import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";

/** A table of figures: the first column names the row, the others are numbers. */
export function FiguresTable({
  label,
  columns,
  rows,
  className,
}: {
  label: string;
  columns: string[];
  rows: { key: string; cells: ReactNode[] }[];
  className?: string;
}) {
  return (
    <ScrollX label={label} className={cn("max-h-80 overflow-y-auto", className)}>
      <table className="w-full border-collapse text-[13px]">
        <thead>
          <tr className="border-line border-b text-left text-muted text-xs">
            {columns.map((column, index) => (
              <th
                key={column}
                scope="col"
                className={cn(
                  "sticky top-0 whitespace-nowrap bg-panel px-3 py-2 font-medium max-md:px-1.5 max-md:last:pr-3 max-md:first:pl-3",
                  index > 0 && "text-right",
                )}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [name, ...figures] }) => (
            <tr key={key} className="border-line border-b last:border-0">
              <th scope="row" className="whitespace-nowrap px-3 py-1.5 text-left font-normal max-md:pr-1.5">
                {name}
              </th>
              {figures.map((figure, index) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place
                  key={index}
                  className="whitespace-nowrap px-3 py-1.5 text-right max-md:px-1.5 max-md:last:pr-3"
                >
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
