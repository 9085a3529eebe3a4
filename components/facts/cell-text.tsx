"use client";

import { useNow } from "@/components/time/use-now.ts";
import type { Cell } from "@/lib/format/cells.ts";
import { formatAhead } from "@/lib/format/time.ts";

export function CellText({ cell }: { cell: Cell }) {
  switch (cell.kind) {
    case "empty":
      return <span className="text-faint">—</span>;
    case "date":
      return <DateText at={cell.at} text={cell.text} />;
    default:
      return cell.text;
  }
}

/** A date that lies ahead says how far: an amount due in three months is easily overlooked. */
function DateText({ at, text }: { at: string; text: string }) {
  const ahead = formatAhead(at, useNow(60_000));
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <span title={at} className="whitespace-nowrap">
        {text}
      </span>
      {ahead && (
        <span className="whitespace-nowrap rounded-md bg-sunken px-1.5 py-0.5 text-muted text-xs">
          {ahead}
        </span>
      )}
    </span>
  );
}
