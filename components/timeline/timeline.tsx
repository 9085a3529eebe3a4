"use client";

import { useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Age, Clock } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { formatDuration } from "@/lib/format/duration.ts";
import { plural } from "@/lib/format/labels.ts";
import type { Tone } from "@/lib/format/outcome.ts";
import { describeTaskEvent } from "@/lib/format/task-events.ts";
import type { TaskEvent } from "@/lib/tasks/schema.ts";

const DOTS: Record<Tone, string> = {
  neutral: "bg-edge",
  accent: "bg-accent",
  wait: "bg-wait",
  bad: "bg-bad",
  good: "bg-good",
};

/** Shorter than this and the lines happened as good as together; in a narrow column only longer gaps are told. */
const GAP_WORTH_SAYING_MS = 2_000;
const COMPACT_GAP_MS = 60_000;

/** The column beside a request folds what is longer than the first to the second. */
const COMPACT_LINES = 8;
const FOLDED_LINES = 6;

/**
 * What happened, newest first. `compact` is the column beside a request: ages instead of times, and folded where it is
 * long. `next` says what comes once this is decided.
 */
export function Timeline({
  events,
  compact = false,
  next,
}: {
  events: TaskEvent[];
  compact?: boolean;
  next?: string;
}) {
  const [all, setAll] = useState(false);
  const folded = compact && !all && events.length > COMPACT_LINES;
  const newestFirst = events.map((event, index) => ({ event, before: events[index - 1] })).reverse();
  return (
    <>
      <ol className="flex flex-col">
        {next && (
          <li className="group relative flex gap-3 pb-2.5">
            <Line />
            <span aria-hidden className="relative mt-1.5 size-2 shrink-0 rounded-full border border-edge" />
            <p className="text-[13px] text-muted">Next: {next}</p>
          </li>
        )}
        {newestFirst.slice(0, folded ? FOLDED_LINES : undefined).map(({ event, before }) => (
          <Entry
            key={event.seq}
            event={event}
            gapMs={before ? Date.parse(event.at) - Date.parse(before.at) : 0}
            compact={compact}
          />
        ))}
      </ol>
      {folded && (
        <Button size="sm" variant="link" className="w-fit px-0 text-[13px]" onClick={() => setAll(true)}>
          Show {plural(events.length - FOLDED_LINES, "earlier step")}
        </Button>
      )}
    </>
  );
}

function Entry({ event, gapMs, compact }: { event: TaskEvent; gapMs: number; compact: boolean }) {
  const words = describeTaskEvent(event);
  const Time = compact ? Age : Clock;
  return (
    <li className="group relative flex gap-3 pb-2.5">
      <Line />
      <span aria-hidden className={cn("relative mt-1.5 size-2 shrink-0 rounded-full", DOTS[words.tone])} />
      <div className={cn("min-w-0 flex-1", compact && "text-[13px]")}>
        <p className={cn(compact && "text-muted group-first:text-ink")}>
          <PlainText text={words.text} />
          {gapMs >= (compact ? COMPACT_GAP_MS : GAP_WORTH_SAYING_MS) && (
            <span className="text-muted text-xs"> after {formatDuration(gapMs)}</span>
          )}
        </p>
        {words.quote && !(compact && event.type === "request.opened") && (
          <p className="whitespace-pre-line text-[13px] text-muted">
            “<PlainText text={words.quote} />”
          </p>
        )}
      </div>
      <Time at={event.at} className="shrink-0 text-muted text-xs leading-5" />
    </li>
  );
}

function Line() {
  return (
    <span aria-hidden className="absolute top-4 bottom-[-6px] left-[3.5px] w-px bg-line group-last:hidden" />
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
