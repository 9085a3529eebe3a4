"use client";

import { cn } from "@/components/ui/cn.ts";
import { RANGE_WORDS } from "@/lib/format/overview.ts";
import { RANGES, type Range } from "@/lib/statistics/schema.ts";

/** The time range of the figures, kept in the URL. */
export function RangeSwitch({ range }: { range: Range }) {
  return (
    <nav aria-label="Time range" className="flex gap-1.5">
      {RANGES.map((each) => (
        <a
          key={each}
          href={`/overview?range=${each}`}
          aria-current={each === range ? "true" : undefined}
          aria-label={RANGE_WORDS[each].long}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            window.history.replaceState(null, "", `/overview?range=${each}`);
          }}
          className={cn(
            "flex h-7 items-center rounded-md px-2 text-[13px] max-md:h-11",
            each === range ? "bg-accent-soft font-medium text-accent" : "bg-sunken text-muted hover:text-ink",
          )}
        >
          {RANGE_WORDS[each].short}
        </a>
      ))}
    </nav>
  );
}
