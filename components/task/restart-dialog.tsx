"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import {
  type ConnectionChange,
  ConnectionChanged,
  connectionChangeOf,
} from "@/components/task/connection-changed.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import type { TaskState } from "@/lib/tasks/task-status.ts";
import { isLive } from "@/lib/tasks/words/state-labels.ts";
import { api, errorSentence, newIdempotencyKey } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

/** Whether the call can be repeated: the arguments of an adopted task may be unknown. */
export function isCallKnown(task: { adopted: boolean; arguments: Record<string, unknown> }): boolean {
  return !task.adopted || Object.keys(task.arguments).length > 0;
}

/**
 * Confirms, then repeats the call as a new task and opens that task. Also links to the form that edits the
 * arguments.
 */
export function RestartDialog({
  task,
  open,
  onClose,
}: {
  task: { id: string; tool: string; state: TaskState };
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={`Start ${task.tool} again?`}
      description={DESCRIPTIONS[task.state] ?? (isLive(task.state) ? RUNNING : ENDED)}
    >
      <Restart taskId={task.id} onClose={onClose} />
    </Dialog>
  );
}

/**
 * Mounted each time the dialog opens, with a new idempotency key. If a reply is lost and the person presses again, no second
 * task starts.
 */
function Restart({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const router = useRouter();
  const client = useQueryClient();
  const [key] = useState(newIdempotencyKey);
  const [change, setChange] = useState<ConnectionChange | null>(null);
  const [agreed, setAgreed] = useState(false);
  const restart = useMutation({
    mutationFn: () =>
      api.post<TaskDetail>(
        `/api/v1/tasks/${taskId}/restart`,
        change && { acknowledgeConnectionChange: change.connection },
        { "idempotency-key": key },
      ),
    onSuccess: (started) => {
      toast("Started as a new task");
      void client.invalidateQueries({ queryKey: taskKeys.lists });
      onClose();
      router.push(`/tasks/${started.id}`);
    },
    onError: (error) => {
      const changed = connectionChangeOf(error);
      if (!changed) return toast.error(errorSentence(error));
      setChange(changed);
      setAgreed(false);
    },
  });
  return (
    <>
      {change && <ConnectionChanged change={change} agreed={agreed} onAgree={setAgreed} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button asChild>
          <Link href={`/tasks/new?from=${taskId}`}>Edit the arguments…</Link>
        </Button>
        <Button
          variant="primary"
          disabled={restart.isPending || (change !== null && !agreed)}
          onClick={() => restart.mutate()}
        >
          Start a new task
        </Button>
      </DialogActions>
    </>
  );
}

const ENDED = "A new task is started with the same arguments. What this one has already done is not undone.";
const RUNNING =
  "This task is still running. A second one starts with the same arguments, so the tool may do its work twice.";
const DESCRIPTIONS: Partial<Record<TaskState, string>> = {
  start_unknown:
    "Nobody knows whether this one started. If it did, the tool may do its work twice. This task stays open until somebody settles it.",
};
