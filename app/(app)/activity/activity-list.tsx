"use client";

import { Bot, KeyRound, type LucideIcon, Scale, Server, UserRound } from "lucide-react";
import { Fragment } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { useNow, useZoneKnown } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { ListedEvent } from "@/lib/history/events/event-schema.ts";
import type { Tone } from "@/lib/text/labels.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { describeEvent } from "@/lib/web/words/activity-words.ts";

const DOTS: Record<Tone, string> = {
  neutral: "bg-edge",
  accent: "bg-accent",
  wait: "bg-wait",
  bad: "bg-bad",
  good: "bg-good",
};

const ACTORS: Record<ListedEvent["actor"]["kind"], { icon: LucideIcon; what: string }> = {
  member: { icon: UserRound, what: "Member" },
  key: { icon: KeyRound, what: "API key" },
  agent: { icon: Bot, what: "Agent" },
  rule: { icon: Scale, what: "Rule of the policy" },
  engine: { icon: Server, what: "System" },
  system: { icon: Server, what: "The installation" },
};

const LINK = "rounded-sm text-accent underline-offset-4 hover:underline";

/** Events, newest first, grouped by day. `onActor` filters by one person or API key. */
export function ActivityList({
  events,
  onActor,
}: {
  events: ListedEvent[];
  onActor: (actorId: string) => void;
}) {
  const now = useNow(60_000);
  const known = useZoneKnown();
  const { dayInWords } = useFormats();
  const days = events.map(({ at }) => capitalise(dayInWords(at, now).replace(/^on /, "")));
  return (
    <ol className="rounded-lg border border-line bg-panel" key={String(known)}>
      {events.map((event, index) => (
        <Fragment key={event.seq}>
          {days[index] !== days[index - 1] && (
            <li className="border-line border-b bg-sunken px-4 py-1.5 first:rounded-t-lg [&:not(:first-child)]:border-t">
              <h2 className={cn("font-medium text-[13px] text-muted", !known && "invisible")}>
                {days[index]}
              </h2>
            </li>
          )}
          <Line event={event} zoneKnown={known} onActor={onActor} />
        </Fragment>
      ))}
    </ol>
  );
}

function Line({
  event,
  zoneKnown,
  onActor,
}: {
  event: ListedEvent;
  zoneKnown: boolean;
  onActor: (actorId: string) => void;
}) {
  const words = describeEvent(event);
  const { exact, timeOfDay, number } = useFormats();
  return (
    <li className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 border-line border-b px-4 py-2 last:border-b-0 md:grid-cols-[6rem_11rem_1fr_auto] md:items-start">
      <time
        suppressHydrationWarning
        dateTime={event.at}
        title={zoneKnown ? exact(event.at) : undefined}
        className={cn("text-muted text-xs leading-5 tabular-nums", !zoneKnown && "invisible")}
      >
        {timeOfDay(event.at)}
      </time>
      <Who actor={event.actor} onActor={onActor} />
      <div className="flex min-w-0 gap-2.5 max-md:col-span-2">
        <span aria-hidden className={cn("mt-1.5 size-2 shrink-0 rounded-full", DOTS[words.tone])} />
        <div className="min-w-0 flex-1">
          <p className="break-words">
            <PlainText text={words.text} />
            {event.task && (
              <>
                {" · "}
                <Link href={`/tasks/${event.taskId}`} className={LINK}>
                  <PlainText text={event.task.label ?? event.task.tool} />
                </Link>
              </>
            )}
          </p>
          {words.quote && (
            <p className="line-clamp-3 whitespace-pre-line break-words text-[13px] text-muted">
              “<PlainText text={words.quote} />”
            </p>
          )}
        </div>
      </div>
      <p className="flex items-baseline justify-end gap-3 text-[13px] max-md:col-span-2 max-md:justify-start max-md:pl-4.5">
        {event.task && event.inputRequestId && (
          <Link
            href={`/inbox/${event.inputRequestId}`}
            aria-label={`Request of line ${event.seq}`}
            className={cn(LINK, "max-md:-my-3 max-md:py-3")}
          >
            Request
          </Link>
        )}
        <span className="min-w-12 text-right text-muted text-xs leading-5 tabular-nums max-md:ml-auto">
          <span className="sr-only">line </span>
          {number(event.seq)}
        </span>
      </p>
    </li>
  );
}

function Who({ actor, onActor }: { actor: ListedEvent["actor"]; onActor: (actorId: string) => void }) {
  const { icon: Icon, what } = ACTORS[actor.kind];
  const { id } = actor;
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-[13px] leading-5" title={what}>
      <Icon aria-hidden className="size-3.5 shrink-0 text-faint" strokeWidth={1.75} />
      <span className="sr-only">{what} </span>
      {id === null ? (
        <span className="truncate text-muted">{actor.name}</span>
      ) : (
        <button
          type="button"
          title={`Only ${actorWords(actor)}`}
          className="truncate rounded-sm underline-offset-4 hover:underline max-md:-my-3 max-md:min-w-11 max-md:py-3 max-md:text-left"
          onClick={() => onActor(id)}
        >
          {actor.name}
        </button>
      )}
    </span>
  );
}

export function ActivitySkeleton() {
  return (
    <div aria-hidden className="flex flex-col gap-3 rounded-lg border border-line bg-panel p-4">
      {[70, 45, 60, 50, 65, 40].map((width) => (
        <div key={width} className="skeleton h-5" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
