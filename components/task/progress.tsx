import { useFormats } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";

type Progress = NonNullable<TaskSummary["progress"]>;

/** Returns the share done, 0 to 100, or null if the server gave no usable total. */
function progressPercent(progress: Progress): number | null {
  if (!progress.total || progress.total <= 0) return null;
  return Math.max(0, Math.min(100, Math.round((progress.progress / progress.total) * 100)));
}

/** Returns `45 %`, or the amount so far if the total is unknown. */
export function progressWords(progress: Progress, { number }: Formats): string {
  const percent = progressPercent(progress);
  return percent === null ? `${number(progress.progress)} so far` : `${percent} %`;
}

/** A progress bar. An unknown total shows a partial bar. */
export function ProgressBar({ progress, label }: { progress: Progress; label: string }) {
  const percent = progressPercent(progress);
  const formats = useFormats();
  return (
    <div
      role="progressbar"
      aria-label={label}
      {...(percent === null ? {} : { "aria-valuenow": percent })}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={[progressWords(progress, formats), progress.message].filter(Boolean).join(", ")}
      className="h-1 w-full overflow-hidden rounded-full bg-line"
    >
      <div
        className={cn(
          "h-full rounded-full bg-accent",
          percent === null && "animate-[breathe_1.4s_ease-in-out_infinite]",
        )}
        style={{ width: `${percent ?? 35}%` }}
      />
    </div>
  );
}
