"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import { api, errorSentence } from "@/components/api/client.ts";
import { taskKeys } from "@/components/api/tasks.ts";
import { useMe } from "@/components/shell/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { ConfirmDialog } from "@/components/ui/confirm-dialog.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** What an operator can do with a task. What cannot be taken back asks first. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const me = useMe();
  const router = useRouter();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"cancel" | "restart" | null>(null);
  const act = useMutation({
    mutationFn: (action: "refresh" | "cancel" | "restart") =>
      api.post<TaskDetail>(`/api/v1/tasks/${task.id}/${action}`),
    onSuccess: (answer, action) => {
      if (action === "restart") router.push(`/tasks/${answer.id}`);
      toast(SAID[action]);
      setAsking(null);
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: taskKeys.task(task.id) });
      void client.invalidateQueries({ queryKey: taskKeys.lists });
    },
  });
  if (!me.may("operator")) return null;
  const live = isLive(task.state);
  return (
    <div className="flex flex-wrap gap-2 max-md:w-full md:ml-auto">
      {live && (
        <Button disabled={act.isPending} onClick={() => act.mutate("refresh")}>
          <RefreshCw aria-hidden strokeWidth={1.75} />
          Check now
        </Button>
      )}
      <Button onClick={() => setAsking("restart")}>Start again…</Button>
      {live && !task.cancelRequestedAt && (
        <Button variant="danger" onClick={() => setAsking("cancel")}>
          Cancel…
        </Button>
      )}
      <ConfirmDialog
        open={asking === "restart"}
        onOpenChange={() => setAsking(null)}
        title={`Start ${task.tool} again?`}
        description={
          live
            ? "This task is still running. A second one is started with the same arguments: whatever the tool does, it may then do twice."
            : "A new task is started with the same arguments. What this one has already done is not undone."
        }
        confirm="Start a new task"
        pending={act.isPending}
        onConfirm={() => act.mutate("restart")}
      />
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
  restart: "Started as a new task",
};
