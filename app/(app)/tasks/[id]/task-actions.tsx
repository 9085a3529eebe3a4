"use client";

import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { CancelDialog } from "@/components/task/cancel-dialog.tsx";
import { isCallKnown, RestartDialog } from "@/components/task/restart-dialog.tsx";
import { useTaskAction } from "@/components/task/use-task-action.ts";
import { Button } from "@/components/ui/button.tsx";
import { isLive } from "@/lib/format/tasks/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** An operator's actions on a task. Irreversible ones ask for confirmation. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const me = useMe();
  const [asking, setAsking] = useState<"cancel" | "restart" | null>(null);
  const act = useTaskAction(task.id, () => setAsking(null));
  if (!me.may("tasks:manage")) return null;
  // Without the task's id on the server, no call can address the task.
  const reachable = isLive(task.state) && task.state !== "start_unknown";
  return (
    <div className="flex flex-wrap gap-2 max-md:w-full md:ml-auto">
      {reachable && (
        <Button disabled={act.isPending} onClick={() => act.mutate("refresh")}>
          <RefreshCw aria-hidden strokeWidth={1.75} />
          Check now
        </Button>
      )}
      {isCallKnown(task) && <Button onClick={() => setAsking("restart")}>Start again…</Button>}
      {reachable && !task.cancelRequestedAt && (
        <Button variant="danger" onClick={() => setAsking("cancel")}>
          Cancel…
        </Button>
      )}
      <RestartDialog task={task} open={asking === "restart"} onClose={() => setAsking(null)} />
      <CancelDialog
        task={task}
        open={asking === "cancel"}
        pending={act.isPending}
        onClose={() => setAsking(null)}
        onConfirm={() => act.mutate("cancel")}
      />
    </div>
  );
}
