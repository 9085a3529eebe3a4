"use client";

import { type ReactNode, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Age } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { TaskEvent } from "@/lib/history/events/event-schema.ts";
import { describeTaskEvent } from "@/lib/tasks/words/task-events.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import type { Tone } from "@/lib/text/labels.ts";
import { plural } from "@/lib/text/labels.ts";

/** In a narrow column, only longer gaps are shown. */
const GAP_WORTH_SAYING_MS = 60_000;

/** A list of more than `LINES` entries is folded to `FOLDED_LINES`. */
const LINES = 8;
const FOLDED_LINES = 6;

/** Steps whose outcome the next event tells; folded by default. */
const TECHNICAL = new Set([
  "task.starting",
  "task.started",
  "task.asking",
  "task.state",
  "task.server_state",
  "task.cancel_sent",
  "delivery.sending",
  "delivery.unsent",
]);

/**
 * A task's events beside a request, newest first, with ages instead of times. Technical events are folded, and
 * so is a long list. The task's own page shows all events. `next` says what follows the decision. `first`: a line before all
 * events.
 */
export function Timeline({
  events: given,
  next,
  first,
}: {
  events: TaskEvent[];
  next?: string;
  first?: ReactNode;
}) {
  const [all, setAll] = useState(false);
  const [technical, setTechnical] = useState(false);
  // What happens right now is shown, technical or not.
  const told = given.filter((event, index) => index === 0 || !TECHNICAL.has(event.type));
  const left = given.length - told.length;
  const events = technical ? given : told;
  const folded = !all && events.length > LINES;
  return (
    <>
      <ol className="flex flex-col">
        {next && (
          <li className="group relative flex gap-3 pb-2.5">
            <Line />
            <NextDot />
            <p className="text-[13px] text-muted">Next: {next}</p>
          </li>
        )}
        {first}
        {events.slice(0, folded ? FOLDED_LINES : undefined).map((event, index) => (
          <Entry key={event.seq} event={event} before={events[index + 1]} />
        ))}
      </ol>
      {folded && (
        <Button size="sm" variant="link" className="w-fit px-0 text-[13px]" onClick={() => setAll(true)}>
          Show {plural(events.length - FOLDED_LINES, "earlier step")}
        </Button>
      )}
      {left > 0 && (
        <Button
          size="sm"
          variant="link"
          className="w-fit px-0 text-[13px]"
          aria-expanded={technical}
          onClick={() => setTechnical(!technical)}
        >
          {technical ? "Hide technical events" : `Show ${plural(left, "technical event")}`}
        </Button>
      )}
    </>
  );
}

function Entry({ event, before }: { event: TaskEvent; before: TaskEvent | undefined }) {
  const words = describeTaskEvent(event);
  const gapMs = before ? Date.parse(event.at) - Date.parse(before.at) : 0;
  return (
    <li className="group relative flex gap-3 pb-2.5">
      <Line />
      <Dot tone={words.tone} />
      <div className="min-w-0 flex-1 text-[13px]">
        <p className="text-muted group-first:text-ink">
          <PlainText text={words.text} />
          {gapMs >= GAP_WORTH_SAYING_MS && (
            <span className="text-muted text-xs"> after {formatDuration(gapMs)}</span>
          )}
        </p>
        {words.quote && event.type !== "request.opened" && (
          <p className="whitespace-pre-line text-muted">
            “<PlainText text={words.quote} />”
          </p>
        )}
      </div>
      <Age at={event.at} className="shrink-0 text-muted text-xs leading-5" />
    </li>
  );
}

const DOTS: Record<Tone, string> = {
  neutral: "bg-edge",
  accent: "bg-accent",
  wait: "bg-wait",
  bad: "bg-bad",
  good: "bg-good",
};

export function Dot({ tone }: { tone: Tone }) {
  return <span aria-hidden className={cn("relative mt-1.5 size-2 shrink-0 rounded-full", DOTS[tone])} />;
}

/** Of what is still to come. */
export function NextDot() {
  return <span aria-hidden className="relative mt-1.5 size-2 shrink-0 rounded-full border border-edge" />;
}

/** Joins a step's dot to the next step's dot. */
export function Line() {
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
