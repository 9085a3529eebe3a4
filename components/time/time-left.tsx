"use client";

import { Clock3 } from "lucide-react";
import { useNow } from "@/components/time/use-now.ts";
import { Badge } from "@/components/ui/badge.tsx";
import { formatExact } from "@/lib/format/time.ts";
import { timeLeft } from "@/lib/format/time-left.ts";

/** Under this the seconds matter. */
const TICKS_MS = 5 * 60_000;

/** How long a person still has, told anew as it goes. */
export function useTimeLeft(until: string) {
  return timeLeft(until, useNow(Date.parse(until) - Date.now() < TICKS_MS ? 1_000 : 10_000));
}

/** How long a person still has: amber, and red in the last two minutes. */
export function TimeLeftBadge({
  until,
  prefix,
  icon = false,
}: {
  until: string;
  prefix?: string;
  icon?: boolean;
}) {
  const { words, short } = useTimeLeft(until);
  return (
    <Badge
      tone={short ? "bad" : "wait"}
      title={`Until ${formatExact(until)}`}
      {...(icon ? { icon: Clock3 } : {})}
    >
      {prefix ? `${prefix} · ${words}` : words}
    </Badge>
  );
}
