"use client";

import { ChartColumn, Table2 } from "lucide-react";
import { type CSSProperties, type ReactNode, useId, useState } from "react";
import { cn } from "@/components/ui/cn.ts";

/** A titled card on a page of figures. */
export function Card({
  title,
  note,
  action,
  className,
  children,
}: {
  title: string;
  /** Shown below the title. */
  note?: string;
  action?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={cn("flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-panel p-4", className)}
    >
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {note && <p className="text-muted text-xs">{note}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

/** A chart and the same figures as a table, for readers who prefer a table. */
export function ChartCard({
  chart,
  table,
  ...card
}: {
  title: string;
  note?: string;
  className?: string;
  chart: ReactNode;
  table: ReactNode;
}) {
  const [asTable, setAsTable] = useState(false);
  const Icon = asTable ? ChartColumn : Table2;
  return (
    <Card
      {...card}
      action={
        <button
          type="button"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
          className="-my-1 flex h-7 shrink-0 items-center gap-1.5 rounded-md px-1.5 text-muted text-xs hover:bg-sunken hover:text-ink max-md:h-11"
        >
          <Icon aria-hidden className="size-4" strokeWidth={1.75} />
          <span aria-hidden>{asTable ? "as chart" : "as table"}</span>
          <span className="sr-only">{card.title} as a table</span>
        </button>
      }
    >
      {asTable ? table : chart}
    </Card>
  );
}

/** The colour and texture of a chart series, so that series are distinguishable without colour too. */
export const FILLS = {
  solid: { background: "var(--accent)", borderColor: "var(--accent)" },
  striped: {
    background: "repeating-linear-gradient(135deg, var(--wait) 0 2px, var(--wait-soft) 2px 5px)",
    borderColor: "var(--wait)",
  },
  dotted: {
    background: "radial-gradient(circle, var(--bad) 1.3px, transparent 1.6px) 0 0 / 4px 4px, var(--bad-soft)",
    borderColor: "var(--bad)",
  },
  hollow: { background: "var(--panel)", borderColor: "var(--muted)" },
} as const satisfies Record<string, CSSProperties>;
export type Fill = keyof typeof FILLS;
