import { Age, Clock } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { formatDuration } from "@/lib/format/duration.ts";
import { describeEvent } from "@/lib/format/events.ts";
import type { Tone } from "@/lib/format/outcome.ts";
import type { TaskEvent } from "@/lib/tasks/schema.ts";

const DOTS: Record<Tone, string> = {
  neutral: "bg-edge",
  accent: "bg-accent",
  wait: "bg-wait",
  bad: "bg-bad",
  good: "bg-good",
};

/** Shorter than this and the lines happened as good as together. */
const GAP_WORTH_SAYING_MS = 2_000;

/** What the column beside a request shows; the rest is a step away, on the task's page. */
const COMPACT_LINES = 8;

/** What happened, newest first. `compact` is the column beside a request: the last lines, ages only, no gaps. */
export function Timeline({ events, compact = false }: { events: TaskEvent[]; compact?: boolean }) {
  const newestFirst = events
    .map((event, index) => ({ event, before: events[index - 1] }))
    .reverse()
    .slice(0, compact ? COMPACT_LINES : undefined);
  return (
    <ol className="flex flex-col">
      {newestFirst.map(({ event, before }) => {
        const words = describeEvent(event);
        const gap = before ? Date.parse(event.at) - Date.parse(before.at) : 0;
        return (
          <li key={event.seq} className="group relative flex gap-3 pb-2.5">
            <span
              aria-hidden
              className="absolute top-4 bottom-[-6px] left-[3.5px] w-px bg-line group-last:hidden"
            />
            <span
              aria-hidden
              className={cn("relative mt-1.5 size-2 shrink-0 rounded-full", DOTS[words.tone])}
            />
            <div className={cn("min-w-0 flex-1", compact && "text-[13px]")}>
              <p className={cn(compact && "text-muted group-first:text-ink")}>
                {words.text}
                {!compact && gap >= GAP_WORTH_SAYING_MS && (
                  <span className="text-muted text-xs"> after {formatDuration(gap)}</span>
                )}
              </p>
              {words.quote && !(compact && event.type === "request.opened") && (
                <p className="whitespace-pre-line text-[13px] text-muted">“{words.quote}”</p>
              )}
            </div>
            {compact ? (
              <Age at={event.at} className="shrink-0 text-muted text-xs leading-5" />
            ) : (
              <Clock at={event.at} className="shrink-0 text-muted text-xs leading-5" />
            )}
          </li>
        );
      })}
    </ol>
  );
}

export function TimelineSkeleton() {
  return (
    <div aria-hidden className="flex flex-col gap-3">
      {[60, 45, 70, 40].map((width) => (
        <div key={width} className="skeleton h-4" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
