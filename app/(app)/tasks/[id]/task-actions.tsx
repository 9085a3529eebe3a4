"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { isCallKnown, RestartDialog } from "@/components/task/restart-dialog.tsx";
import { Button } from "@/components/ui/button.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { taskKeys } from "@/lib/api-client/tasks/task-keys.ts";
import { isLive } from "@/lib/format/tasks/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** An operator's actions on a task. Irreversible ones ask for confirmation. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const me = useMe();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"cancel" | "restart" | null>(null);
  const act = useMutation({
    mutationFn: (action: "refresh" | "cancel") => api.post<TaskDetail>(`/api/v1/tasks/${task.id}/${action}`),
    onSuccess: (_, action) => {
      toast(SAID[action]);
      setAsking(null);
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: taskKeys.task(task.id) });
      void client.invalidateQueries({ queryKey: taskKeys.lists });
    },
  });
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
      <ConfirmDialog
        open={asking === "cancel"}
        onOpenChange={() => setAsking(null)}
        title={`Cancel ${task.label ?? task.tool}?`}
        description={`${task.server.name} is asked to stop. It may have done part of the work already, and open questions are withdrawn.`}
        confirm="Cancel the task"
        dismiss="Keep it running"
        destructive
        pending={act.isPending}
        onConfirm={() => act.mutate("cancel")}
      />
    </div>
  );
}

const SAID = {
  refresh: "Asking the server",
  cancel: "Cancelling: the server is told to stop",
};
