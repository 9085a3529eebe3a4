"use client";

import { Check as Tick, TriangleAlert } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { FoldedText } from "@/components/text/folds.tsx";
import { useNow, useZoneKnown } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import type { Check } from "@/lib/text/facts/amount-checks.ts";
import type { Cell } from "@/lib/text/facts/cells.ts";
import { formatAhead, formatPast, isDateOnly, isZoned } from "@/lib/text/time.ts";

export function CellText({ cell }: { cell: Cell }) {
  switch (cell.kind) {
    case "empty":
      return <span className="text-faint">—</span>;
    case "date":
      return <DateText {...cell} />;
    case "number":
      return <Figure cell={cell} />;
    case "text":
      return <FoldedText text={cell.text} />;
  }
}

/** Copying an amount yields the value as sent, without separators (see copyAsSent). */
function Figure({ cell }: { cell: Extract<Cell, { kind: "number" }> }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="whitespace-nowrap tabular-nums">
        <span data-sent={cell.sent}>{cell.text}</span>
        {cell.currency && <span className="text-muted"> {cell.currency}</span>}
      </span>
      {cell.check && <CheckMark check={cell.check} />}
    </span>
  );
}

/** A future date shows the time left, a missed one the time since: either is easily overlooked. */
function DateText({ at, past }: Extract<Cell, { kind: "date" }>) {
  const now = useNow(60_000);
  const zoneKnown = useZoneKnown();
  const { date } = useFormats();
  const known = zoneKnown || isDateOnly(at) || !isZoned(at);
  const ahead = formatAhead(at, now);
  const missed = past ? formatPast(at, now, past) : null;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <span
        // A moment is shown in the person's time zone: see Instant.
        key={String(known)}
        suppressHydrationWarning
        title={at}
        className={cn("whitespace-nowrap", !known && "invisible")}
      >
        {date(at)}
      </span>
      {(ahead ?? missed) && (
        <span
          className={cn(
            "whitespace-nowrap rounded-md px-1.5 py-0.5 text-xs",
            missed ? "bg-wait-soft font-medium text-wait" : "bg-sunken text-muted",
          )}
        >
          {ahead ?? missed}
        </span>
      )}
    </span>
  );
}

/** The result of a check of a figure, as icon and words. */
export function CheckMark({ check, className }: { check: Check; className?: string }) {
  const Icon = check.ok ? Tick : TriangleAlert;
  return (
    <span
      className={cn(
        "inline-flex items-start gap-1.5 whitespace-normal text-left font-medium text-xs leading-4",
        check.ok ? "text-good" : "rounded-md bg-bad-soft px-1.5 py-0.5 text-bad",
        className,
      )}
    >
      <Icon aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={2} />
      {check.words}
    </span>
  );
}
