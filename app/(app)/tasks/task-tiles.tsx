"use client";

import { cn } from "@/components/ui/cn.ts";
import type { TaskState } from "@/lib/tasks/schema.ts";

const TILES: { label: string; state: string; alarming?: boolean; waiting?: boolean }[] = [
  { label: "Working", state: "queued,starting,working" },
  { label: "Waiting for a person", state: "input_required", waiting: true },
  { label: "Failed", state: "failed", alarming: true },
  { label: "Lost", state: "lost,start_unknown", alarming: true },
  { label: "Completed", state: "completed" },
];

/** The API counts no further than this. */
const CAP = 1000;

/** Counts that are filters. */
export function TaskTiles({
  counts,
  active,
  onChoose,
}: {
  counts: Partial<Record<TaskState, number>> | undefined;
  active: string;
  onChoose: (state: string) => void;
}) {
  return (
    <div className="flex gap-2.5 overflow-x-auto max-md:-mx-4 max-md:px-4 max-md:py-0.5">
      {TILES.map((tile) => {
        const count = counts && sum(counts, tile.state);
        return (
          <button
            key={tile.state}
            type="button"
            aria-pressed={active === tile.state}
            onClick={() => onChoose(tile.state)}
            className={cn(
              "flex min-w-32 flex-1 flex-col gap-0.5 rounded-lg border px-3 py-2.5 text-left transition-colors focus-visible:-outline-offset-2 max-md:min-w-36",
              active === tile.state ? "border-accent bg-accent-soft" : "border-line bg-panel hover:bg-sunken",
            )}
          >
            <span className="whitespace-nowrap text-muted text-xs">{tile.label}</span>
            {count === undefined ? (
              <span aria-hidden className="skeleton my-1 h-5 w-10" />
            ) : (
              <span
                className={cn(
                  "font-semibold text-xl tracking-tight",
                  count > 0 && tile.alarming && "text-bad",
                  count > 0 && tile.waiting && "text-wait",
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

function sum(counts: Partial<Record<TaskState, number>>, states: string): number {
  return states.split(",").reduce((total, state) => total + (counts[state as TaskState] ?? 0), 0);
}
