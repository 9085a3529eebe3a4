import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  KeyRound,
  type LucideIcon,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import type { Tone } from "@/lib/format/outcome.ts";
import type { Health } from "@/lib/servers/schema.ts";

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

/** People have paused it. */
export function PausedBadge() {
  return (
    <Badge tone="wait" icon={CirclePause}>
      Paused
    </Badge>
  );
}
