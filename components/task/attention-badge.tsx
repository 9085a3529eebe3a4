import {
  CircleHelp,
  CirclePause,
  Clock3,
  Hourglass,
  KeyRound,
  type LucideIcon,
  MessageCircleQuestionMark,
  RotateCw,
  SendHorizontal,
  ServerCrash,
  ServerOff,
  TimerOff,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import { ATTENTION, type AttentionCode, type Severity } from "@/lib/tasks/task-attention.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";

const ICONS: Record<AttentionCode, LucideIcon> = {
  start_unknown: CircleHelp,
  question_unattributed: MessageCircleQuestionMark,
  undeliverable: SendHorizontal,
  delivery_flagged: RotateCw,
  no_engine: TimerOff,
  server_paused: CirclePause,
  needs_sign_in: KeyRound,
  server_unreachable: ServerOff,
  server_failing: ServerCrash,
  answer_waiting: SendHorizontal,
  start_slow: Hourglass,
  state_unknown: CircleHelp,
  stalled: TriangleAlert,
  lost: Unplug,
  expiring: Hourglass,
  waiting_long: Clock3,
};
export const SEVERITY_TONES = { stuck: "bad", watch: "wait" } as const satisfies Record<Severity, string>;

/**
 * Why the task is stuck, in a word or two; the full sentence on hover. Renders nothing for a healthy task.
 */
export function AttentionBadge({ attention }: { attention: TaskSummary["attention"] }) {
  if (!attention) return null;
  const { severity, label, words } = ATTENTION[attention.code];
  return (
    <Badge tone={SEVERITY_TONES[severity]} icon={ICONS[attention.code]} title={words}>
      {label}
    </Badge>
  );
}
