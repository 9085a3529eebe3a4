"use client";

import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  Hourglass,
  KeyRound,
  type LucideIcon,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { Health, Late } from "@/lib/servers/server-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import type { Tone } from "@/lib/text/labels.ts";

const STATES: Record<Health["state"], { word: string; tone: Tone; icon: LucideIcon }> = {
  ok: { word: "OK", tone: "good", icon: CircleCheck },
  unreachable: { word: "Unreachable", tone: "bad", icon: Unplug },
  unauthorized: { word: "Needs sign-in", tone: "bad", icon: KeyRound },
  failing: { word: "Failing", tone: "bad", icon: TriangleAlert },
};

export function HealthBadge({ health }: { health: Health }) {
  if (!health.checkedAt) {
    return <Badge icon={CircleDashed}>Not checked yet</Badge>;
  }
  const { word, tone, icon } = STATES[health.state];
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}

/** The server is slow, so Intray polls its tasks more rarely. */
export function LateLine({ late, className }: { late: Late; className?: string }) {
  return (
    <p className={cn("flex gap-1.5", className)}>
      <Hourglass aria-hidden className="mt-0.5 size-3.5 shrink-0 text-wait" strokeWidth={1.75} />
      <span>
        Slow: tasks are checked every {formatDuration(late.everyMs)} instead of every{" "}
        {formatDuration(late.insteadOfMs)} (answers take {formatDuration(late.answerMs)})
      </span>
    </p>
  );
}

/** Somebody has paused the server. */
export function PausedBadge() {
  return (
    <Badge tone="wait" icon={CirclePause}>
      Paused
    </Badge>
  );
}
