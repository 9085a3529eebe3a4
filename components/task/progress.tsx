import type { TaskSummary } from "@/lib/tasks/schema.ts";

/** The share done, 0 to 100, where the server said enough to know it. */
export function progressPercent(progress: TaskSummary["progress"]): number | null {
  if (!progress?.total || progress.total <= 0) return null;
  return Math.max(0, Math.min(100, Math.round((progress.progress / progress.total) * 100)));
}

export function ProgressBar({ percent, label }: { percent: number; label: string }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-1 w-full overflow-hidden rounded-full bg-line"
    >
      <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
    </div>
  );
}
