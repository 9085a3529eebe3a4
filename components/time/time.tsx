"use client";

import { useFormats } from "@/components/shell/session/me.tsx";
import { useNow, useZoneKnown } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import { formatAge, formatDuration } from "@/lib/text/duration.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";
import { formatAgo, isDateText } from "@/lib/text/time.ts";

const MINUTE = 60_000;

/** `4 min ago`, with the exact time on hover. */
export function TimeAgo({ at, className }: { at: string; className?: string }) {
  const now = useNow((now) => (now - Date.parse(at) < MINUTE ? 1_000 : 10_000));
  return <Instant at={at} className={className} text={formatAgo(at, now)} />;
}

/** `4 min`, for narrow columns. */
export function Age({ at, className }: { at: string; className?: string }) {
  const now = useNow((now) => (now - Date.parse(at) < MINUTE ? 1_000 : 10_000));
  return <Instant at={at} className={className} text={formatAge(Math.max(0, now - Date.parse(at)))} />;
}

/** `16:02:11`, `yesterday 16:02`, `19 Nov, 12:40`. */
export function Clock({ at, className }: { at: string; className?: string }) {
  const now = useNow(MINUTE);
  return <Instant at={at} className={className} text={useFormats().clock(at, now)} zoned />;
}

/** `16:02` */
export function TimeOfDay({ at }: { at: string }) {
  return <Instant at={at} text={useFormats().time(at)} zoned />;
}

/** `today`, `on 12 Nov`. */
export function Day({ at, className }: { at: string; className?: string }) {
  const now = useNow(MINUTE);
  return <Instant at={at} className={className} text={useFormats().dayInWords(at, now)} zoned />;
}

/** `2 d 4 h` until an instant, or what `words` makes of the time left; `over` once the instant has passed. */
export function TimeUntil({
  at,
  over,
  words = formatDuration,
  className,
}: {
  at: string;
  over: string;
  words?: (ms: number) => string;
  className?: string;
}) {
  const now = useNow((now) => (Date.parse(at) - now < 2 * MINUTE ? 1_000 : 10_000));
  const left = Date.parse(at) - now;
  return <Instant at={at} className={className} text={left < 1_000 ? over : words(left)} />;
}

/** `zoned`: the text depends on the person's time zone, as the title does. */
function Instant({
  at,
  text,
  className,
  zoned = false,
}: {
  at: string;
  text: string;
  className?: string | undefined;
  zoned?: boolean;
}) {
  const known = useZoneKnown();
  const { exact } = useFormats();
  return (
    <time
      // Remounts once the time zone is known, because the server rendered another zone's text.
      key={zoned ? String(known) : "one"}
      suppressHydrationWarning={zoned}
      dateTime={at}
      title={known ? exact(at) : undefined}
      className={cn(className, zoned && !known && "invisible")}
    >
      {text}
    </time>
  );
}

/**
 * The day in a native date input, in words beside the input: browsers show their own order of day and month there,
 * so that 03/04 could be either.
 */
export function chosenDate(value: string, { date }: Formats): string | undefined {
  return isDateText(value) ? date(value) : undefined;
}
