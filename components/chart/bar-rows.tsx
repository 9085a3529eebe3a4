import { FILLS, type Fill } from "@/components/chart/chart-card.tsx";
import { Link } from "@/components/ui/link.tsx";

export interface BarRow {
  key: string;
  label: string;
  /** The value as text, shown at the right. */
  value: string;
  /** Bar lengths, in one unit for all rows: the solid bar, and the end of the thinner bar that follows. */
  amount: number;
  beyond?: number;
  href: string;
}

/** Horizontal bars; each links to the items counted. The longest bar fills the width. */
export function BarRows({ rows, fill = "solid" }: { rows: BarRow[]; fill?: Fill }) {
  const most = Math.max(...rows.map((row) => Math.max(row.amount, row.beyond ?? 0)), 0);
  const width = (amount: number) => `${most === 0 ? 0 : Math.max(0.5, (100 * amount) / most)}%`;
  return (
    <ul className="flex flex-col gap-2.5">
      {rows.map((row) => (
        <li key={row.key}>
          <Link
            href={row.href}
            className="group flex flex-col gap-1 rounded-sm max-md:min-h-11 max-md:justify-center"
          >
            <span className="flex items-baseline gap-3 text-[13px]">
              <span className="min-w-0 flex-1 truncate text-muted group-hover:text-ink group-hover:underline">
                {row.label}
              </span>
              <span className="shrink-0 tabular-nums">{row.value}</span>
            </span>
            <span aria-hidden className="relative block h-2 rounded-sm bg-sunken">
              {row.beyond !== undefined && row.beyond > row.amount && (
                <span
                  className="absolute inset-y-[3px] left-0 block rounded-r-sm border-r-2 opacity-60"
                  style={{ ...FILLS[fill], width: width(row.beyond) }}
                />
              )}
              <span
                className="absolute inset-y-0 left-0 block rounded-sm border"
                style={{ ...FILLS[fill], width: width(row.amount) }}
              />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
