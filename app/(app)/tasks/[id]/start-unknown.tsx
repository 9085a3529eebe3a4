"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { CandidateFacts } from "@/components/task/candidate-facts.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

/**
 * A start with an unknown outcome: the reason, the candidate tasks, and the buttons by which a person settles
 * it.
 */
export function StartUnknown({ task }: { task: TaskDetail }) {
  const me = useMe();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"never" | string | null>(null);
  const settle = useMutation({
    mutationFn: (foundTaskId: string | null) =>
      api.post<TaskDetail>(`/api/v1/tasks/${task.id}/settle-start`, { foundTaskId }),
    onSuccess: (settled) => {
      toast(settled.state === "failed" ? "Recorded: the task never started" : "The task continues");
      setAsking(null);
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: taskKeys.task(task.id) });
      void client.invalidateQueries({ queryKey: taskKeys.lists });
    },
  });
  const operator = me.may("tasks:manage");
  const chosen = task.candidates.find((found) => found.id === asking);
  return (
    <Notice
      tone="wait"
      title="It is unknown whether the task started."
      action={
        operator && (
          <Button size="sm" onClick={() => setAsking("never")}>
            It never started…
          </Button>
        )
      }
    >
      <p>
        The connection broke while the task was starting. Intray never calls a tool twice on its own. Look at{" "}
        <Link href={`/servers/${task.server.id}`} className="underline underline-offset-2">
          {task.server.name}
        </Link>
        {operator
          ? ", then choose here what happened."
          : ". An operator then chooses what happened, or starts it again as a new task."}
      </p>
      {task.candidates.length > 0 && (
        <div className="flex flex-col gap-2 pt-1">
          <p>{plural(task.candidates.length, "task")} on the server could be it:</p>
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel text-sm">
            {task.candidates.map((found) => (
              <li key={found.id} className="flex flex-wrap items-center gap-3 px-3.5 py-2.5">
                <CandidateFacts found={found} />
                <Button size="sm" onClick={() => setAsking(found.id)}>
                  This is it…
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <ConfirmDialog
        open={asking === "never"}
        onOpenChange={() => setAsking(null)}
        title="It never started?"
        description={`The task ends as failed. If ${task.server.name} did start the task, the task continues there, and Intray does not show its questions.`}
        confirm="It never started"
        destructive
        pending={settle.isPending}
        onConfirm={() => settle.mutate(null)}
      />
      <ConfirmDialog
        open={chosen !== undefined}
        onOpenChange={() => setAsking(null)}
        title="Is this the task that was started?"
        description="Intray follows this task: its questions appear here, and answers are sent to the server. This cannot be undone."
        confirm="This is it"
        pending={settle.isPending}
        onConfirm={() => chosen && settle.mutate(chosen.id)}
      >
        {chosen && (
          <div className="rounded-lg border border-line px-3.5 py-2.5">
            <CandidateFacts found={chosen} />
          </div>
        )}
      </ConfirmDialog>
    </Notice>
  );
}
