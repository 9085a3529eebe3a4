import {
  Ban,
  Check,
  Clock3,
  HelpCircle,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  Play,
  TriangleAlert,
  Unplug,
  UserRoundCheck,
  X,
} from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import type { TaskState } from "@/lib/tasks/task-status.ts";
import { isLive, STATE_LABELS, taskTone } from "@/lib/tasks/words/state-labels.ts";

const STATE_ICONS: Record<TaskState, LucideIcon> = {
  queued: Hourglass,
  starting: Play,
  start_unknown: HelpCircle,
  working: LoaderCircle,
  input_required: Clock3,
  completed: Check,
  failed: X,
  cancelled: Ban,
  lost: Unplug,
  expired: Hourglass,
};

type Shown = Pick<
  TaskSummary,
  "state" | "stalled" | "outcome" | "outcomeIsError" | "cancelRequestedAt" | "gate"
>;

/**
 * The task's state as icon and word. For a live task, a stall or a pending cancellation replaces the state's
 * word.
 */
export function StateBadge({ task, withOutcome = false }: { task: Shown; withOutcome?: boolean }) {
  if (task.cancelRequestedAt && isLive(task.state)) {
    return (
      <Badge tone="neutral" icon={Ban}>
        Cancelling
      </Badge>
    );
  }
  if (task.stalled && task.state === "working") {
    return (
      <Badge tone="bad" icon={TriangleAlert}>
        Stalled
      </Badge>
    );
  }
  if (task.state === "queued" && task.gate?.state === "waiting") {
    return (
      <Badge tone="wait" icon={UserRoundCheck}>
        Waits for approval before the call
      </Badge>
    );
  }
  const outcome = withOutcome && task.state === "completed" && task.outcome ? ` · ${task.outcome}` : "";
  const error = task.state === "completed" && task.outcomeIsError;
  return (
    <Badge tone={taskTone(task)} icon={error ? TriangleAlert : STATE_ICONS[task.state]}>
      {STATE_LABELS[task.state]}
      {outcome || (error ? " · error" : "")}
    </Badge>
  );
}
