"use client";

import { useState } from "react";
import { FILLS, type Fill } from "@/components/chart/chart-card.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";

export interface Series {
  key: string;
  label: string;
  fill: Fill;
  /** Links to the items counted now. */
  href: string;
}

export interface Column {
  key: string;
  /** Shown below the column, where space allows. */
  label: string;
  /** The full name, for the detail line and for screen readers. */
  name: string;
  href: string;
  /** Amounts in the order of the series, bottom first; null if unknown. */
  amounts: number[] | null;
}

/**
 * Stacked columns; each is a link. The line below describes the column under the pointer or the focus. Arrow
 * keys move between columns, so the chart is a single Tab stop.
 */
export function Columns({
  label,
  series,
  columns,
  format,
}: {
  label: string;
  series: Series[];
  columns: Column[];
  format: (amount: number) => string;
}) {
  const [told, setTold] = useState<number | null>(null);
  const [stop, setStop] = useState(columns.length - 1);
  const { top, ticks } = scaleOf(Math.max(...columns.map(({ amounts }) => sum(amounts)), 0));
  const every = Math.ceil(columns.length / 6);
  const inWords = (column: Column) =>
    column.amounts
      ? series.map(({ label }, at) => `${format(column.amounts![at] ?? 0)} ${label.toLowerCase()}`).join(", ")
      : "not counted";
  const shown = told === null ? null : columns[told];
  const move = (list: HTMLElement, to: number) => {
    const next = Math.min(columns.length - 1, Math.max(0, to));
    setStop(next);
    list.querySelectorAll<HTMLElement>("a")[next]?.focus();
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex gap-2">
        <div aria-hidden className="relative w-8 shrink-0 text-right text-[11px] text-muted tabular-nums">
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-0 translate-y-1/2 leading-none"
              style={{ bottom: `${(100 * tick) / top}%` }}
            >
              {format(tick)}
            </span>
          ))}
        </div>
        <div className="relative h-44 min-w-0 flex-1 lg:h-56">
          {ticks.map((tick) => (
            <span
              key={tick}
              aria-hidden
              className="absolute inset-x-0 border-line border-b"
              style={{ bottom: `${(100 * tick) / top}%` }}
            />
          ))}
          <ul
            aria-label={label}
            className="relative flex h-full items-end gap-px md:gap-[3px]"
            onKeyDown={(event) => {
              const to = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: columns.length - 1 }[
                event.key
              ];
              if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              move(event.currentTarget, to);
            }}
          >
            {columns.map((column, index) => (
              <li key={column.key} className="h-full min-w-0 flex-1">
                <Link
                  href={column.href}
                  tabIndex={index === Math.min(stop, columns.length - 1) ? 0 : -1}
                  aria-label={`${column.name}: ${inWords(column)}`}
                  onPointerEnter={() => setTold(index)}
                  onPointerLeave={() => setTold(null)}
                  onFocus={() => {
                    setTold(index);
                    setStop(index);
                  }}
                  onBlur={() => setTold(null)}
                  className={cn(
                    "flex h-full flex-col-reverse rounded-sm focus-visible:-outline-offset-1",
                    told === index && "bg-sunken",
                  )}
                >
                  {column.amounts?.map(
                    (amount, at) =>
                      // An element without height would still draw its border.
                      amount > 0 && (
                        <span
                          key={series[at]!.key}
                          aria-hidden
                          className="block min-h-0.5 shrink-0 border-x border-b last:border-t"
                          style={{ ...FILLS[series[at]!.fill], height: `${(100 * amount) / top}%` }}
                        />
                      ),
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div aria-hidden className="ml-10 flex gap-px text-[11px] text-muted md:gap-[3px]">
        {columns.map((column, index) => (
          <span key={column.key} className="min-w-0 flex-1">
            {index % every === 0 && (
              // The last label may have less room than the others: it then ends with its column.
              <span className={cn("flex", columns.length - index < every && "justify-end")}>
                <span className="whitespace-nowrap">{column.label}</span>
              </span>
            )}
          </span>
        ))}
      </div>
      <p aria-hidden className="min-h-10 text-muted text-xs md:min-h-5">
        {shown ? (
          <>
            <span className="text-ink">{shown.name}:</span> {inWords(shown)}
          </>
        ) : (
          <span className="max-md:hidden">
            Point at a column, or use the arrow keys, to read its figures.
          </span>
        )}
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
        {series.map(({ key, label, fill, href }) => (
          <li key={key}>
            <Link
              href={href}
              className="flex items-center gap-1.5 rounded-sm text-muted hover:text-ink hover:underline max-md:min-h-11"
            >
              <span aria-hidden className="size-3 rounded-[3px] border" style={FILLS[fill]} />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function sum(amounts: number[] | null): number {
  return amounts?.reduce((total, amount) => total + amount, 0) ?? 0;
}

/** Returns the end of an axis that fits `most`, and a few round ticks up to that end, without 0. */
export function scaleOf(most: number): { top: number; ticks: number[] } {
  const rough = Math.max(most, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const whole = Math.max(1, step);
  const count = Math.max(1, Math.ceil(most / whole));
  return { top: count * whole, ticks: Array.from({ length: count }, (_, n) => (n + 1) * whole) };
}
