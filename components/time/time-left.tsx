"use client";

import { Clock3 } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useNow, useZoneKnown } from "@/components/time/use-now.ts";
import { Badge } from "@/components/ui/badge.tsx";
import { timeLeft } from "@/lib/requests/words/time-left.ts";
import type { Tone } from "@/lib/text/labels.ts";

/** Below this the display ticks every second. */
const TICKS_MS = 5 * 60_000;

/** Returns the time left until an instant, updated as time passes. */
export function useTimeLeft(until: string) {
  return timeLeft(
    until,
    useNow((now) => (Date.parse(until) - now < TICKS_MS ? 1_000 : 10_000)),
  );
}

/** The time left to answer in the last day: amber in the last hour, and red in the last two minutes. */
export function TimeLeftBadge({ until }: { until: string }) {
  const { words, short, near, far } = useTimeLeft(until);
  const title = useUntil(until);
  if (far) return null;
  return (
    <Badge tone={short ? "bad" : near ? "wait" : "neutral"} title={title}>
      {words}
    </Badge>
  );
}

/** A waiting badge with the time left. Omits short times, which are shown elsewhere and larger. */
export function WaitingBadge({ words, tone, until }: { words: string; tone: Tone; until: string }) {
  const left = useTimeLeft(until);
  return (
    <Badge tone={left.short ? "bad" : left.near ? "wait" : tone} icon={Clock3} title={useUntil(until)}>
      {left.short ? words : `${words} · ${left.words}`}
    </Badge>
  );
}

function useUntil(until: string): string | undefined {
  const { exact } = useFormats();
  return useZoneKnown() ? `Until ${exact(until)}` : undefined;
}
