"use client";

import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";

export function CancelDialog({
  task,
  open,
  pending,
  onClose,
  onConfirm,
}: {
  task: TaskSummary;
  open: boolean;
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title={`Cancel ${task.label ?? task.tool}?`}
      description={`${task.server.name} is asked to stop. It may have done part of the work already, and open questions are withdrawn.`}
      confirm="Cancel the task"
      dismiss="Keep it running"
      destructive
      pending={pending}
      onConfirm={onConfirm}
    />
  );
}
