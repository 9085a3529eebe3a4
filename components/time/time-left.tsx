"use client";

import { Clock3 } from "lucide-react";
import { useNow } from "@/components/time/use-now.ts";
import { Badge } from "@/components/ui/badge.tsx";
import { formatDuration } from "@/lib/format/duration.ts";
import { formatExact } from "@/lib/format/time.ts";

const URGENT_MS = 5 * 60_000;

/** How long a person still has: amber, and red in the last minutes. */
export function TimeLeftBadge({
  until,
  prefix,
  icon = false,
}: {
  until: string;
  prefix?: string;
  icon?: boolean;
}) {
  const now = useNow(Date.parse(until) - Date.now() < URGENT_MS ? 1_000 : 10_000);
  const left = Date.parse(until) - now;
  const words = left <= 0 ? "time is up" : `${formatDuration(left)} left`;
  return (
    <Badge
      tone={left < URGENT_MS ? "bad" : "wait"}
      title={`Until ${formatExact(until)}`}
      {...(icon ? { icon: Clock3 } : {})}
    >
      {prefix ? `${prefix} · ${words}` : words}
    </Badge>
  );
}
