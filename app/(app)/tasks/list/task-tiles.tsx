"use client";

import { cn } from "@/components/ui/cn.ts";
import type { TaskCounts } from "@/lib/tasks/task-schema.ts";
import { countOf, SYSTEM_VIEWS, type SystemViewName } from "@/lib/tasks/words/task-filters.ts";

const TILES: { show: SystemViewName; alarming?: boolean; waiting?: boolean }[] = [
  { show: "working" },
  { show: "waiting", waiting: true },
  { show: "stuck", alarming: true },
  { show: "failed", alarming: true },
  { show: "lost", alarming: true },
  { show: "completed" },
];

/** The API counts up to this number. */
const CAP = 1000;

/** Counts of all visible tasks; each tile adds itself to the filter. */
export function TaskTiles({
  counts,
  active,
  onChoose,
}: {
  counts: TaskCounts | undefined;
  active: SystemViewName | "";
  onChoose: (show: SystemViewName | "") => void;
}) {
  return (
    <div className="flex shrink-0 gap-2.5 overflow-x-auto max-md:-mx-4 max-md:px-4 max-md:py-0.5">
      {TILES.map(({ show, alarming, waiting }) => {
        const count = counts && countOf(show, counts);
        const pressed = active === show;
        return (
          <button
            key={show}
            type="button"
            aria-pressed={pressed}
            onClick={() => onChoose(pressed ? "" : show)}
            className={cn(
              "flex min-w-32 flex-1 flex-col gap-0.5 rounded-lg border px-3 py-2.5 text-left transition-colors focus-visible:-outline-offset-2 max-md:min-w-36",
              pressed ? "border-accent bg-accent-soft" : "border-line bg-panel hover:bg-sunken",
            )}
          >
            <span className="whitespace-nowrap text-muted text-xs">{SYSTEM_VIEWS[show].label}</span>
            {count === undefined || count === null ? (
              <span aria-hidden className="skeleton my-1 h-5 w-10" />
            ) : (
              <span
                className={cn(
                  "font-semibold text-xl tracking-tight",
                  count > 0 && alarming && "text-bad",
                  count > 0 && waiting && "text-wait",
                )}
              >
                {count > CAP ? `${CAP}+` : count}
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
