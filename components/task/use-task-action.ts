"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Acknowledge, TaskDetail } from "@/lib/tasks/task-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

export type TaskAction = "refresh" | "cancel" | { acknowledge: Acknowledge } | "release";

const SAID = { refresh: "Asking the server", cancel: "Cancelling: the server is told to stop" };

/** Does something to a task, tells the person, and reads the task and the lists again. */
export function useTaskAction(taskId: string, onDone: () => void = () => {}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: TaskAction) => {
      const path = `/api/v1/tasks/${taskId}`;
      if (action === "release") return api.delete<TaskDetail>(`${path}/acknowledgement`);
      if (typeof action === "object")
        return api.put<TaskDetail>(`${path}/acknowledgement`, action.acknowledge);
      return api.post<TaskDetail>(`${path}/${action}`);
    },
    onSuccess: (_, action) => {
      if (action === "refresh" || action === "cancel") toast(SAID[action]);
      onDone();
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: taskKeys.task(taskId) });
      void client.invalidateQueries({ queryKey: taskKeys.lists });
    },
  });
}
