"use client";

import { useNow } from "@/components/time/use-now.ts";
import { formatAge, formatDuration } from "@/lib/format/duration.ts";
import { formatAgo, formatClock, formatDay, formatExact } from "@/lib/format/time.ts";

const MINUTE = 60_000;

/** `4 min ago`, with the exact time on hover. */
export function TimeAgo({ at, className }: { at: string; className?: string }) {
  const now = useNow(Date.now() - Date.parse(at) < MINUTE ? 1_000 : 10_000);
  return <Instant at={at} className={className} text={formatAgo(at, now)} />;
}

/** `4 min`, for narrow columns. */
export function Age({ at, className }: { at: string; className?: string }) {
  const now = useNow(Date.now() - Date.parse(at) < MINUTE ? 1_000 : 10_000);
  return <Instant at={at} className={className} text={formatAge(Math.max(0, now - Date.parse(at)))} />;
}

/** `16:02:11`, `yesterday 16:02`, `19 Nov 12:40`. */
export function Clock({ at, className }: { at: string; className?: string }) {
  const now = useNow(MINUTE);
  return <Instant at={at} className={className} text={formatClock(at, now)} />;
}

/** `today`, `on 12 Nov`. */
export function Day({ at, className }: { at: string; className?: string }) {
  const now = useNow(MINUTE);
  return <Instant at={at} className={className} text={formatDay(at, now)} />;
}

/** `2 d 4 h` until an instant; `over` once it has passed. */
export function TimeUntil({ at, over, className }: { at: string; over: string; className?: string }) {
  const now = useNow(Date.parse(at) - Date.now() < 2 * MINUTE ? 1_000 : 10_000);
  const left = Date.parse(at) - now;
  return <Instant at={at} className={className} text={left < 1_000 ? over : formatDuration(left)} />;
}

function Instant({ at, text, className }: { at: string; text: string; className?: string | undefined }) {
  return (
    <time dateTime={at} title={formatExact(at)} className={className}>
      {text}
    </time>
  );
}
