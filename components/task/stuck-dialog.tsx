"use client";

import { useState } from "react";
import { CancelDialog } from "@/components/task/cancel-dialog.tsx";
import { RestartDialog } from "@/components/task/restart-dialog.tsx";
import type { TaskAction } from "@/components/task/use-task-action.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";

export interface StuckDialogProps {
  asking: "acknowledge" | "cancel" | "restart";
  task: TaskSummary;
  /** The person owns the task already, and changes the note. */
  mine: boolean;
  pending: boolean;
  onClose: () => void;
  onAct: (action: TaskAction) => void;
}

/** What an action on a stuck task asks before. Loaded late: lists have many of those buttons, seldom pressed. */
export function StuckDialog({ asking, task, mine, pending, onClose, onAct }: StuckDialogProps) {
  if (asking === "restart") return <RestartDialog task={task} open onClose={onClose} />;
  if (asking === "cancel")
    return (
      <CancelDialog task={task} open pending={pending} onClose={onClose} onConfirm={() => onAct("cancel")} />
    );
  const { acknowledgement } = task;
  return (
    <AcknowledgeDialog
      name={task.label ?? task.tool}
      holder={mine ? null : (acknowledgement?.by.name ?? null)}
      note={(mine && acknowledgement?.note) || ""}
      pending={pending}
      onClose={onClose}
      onConfirm={(note) =>
        onAct({
          acknowledge: {
            ...(note && { note }),
            ...(!mine && acknowledgement && { takeOver: acknowledgement.at }),
          },
        })
      }
    />
  );
}

function AcknowledgeDialog({
  name,
  holder,
  note,
  pending,
  onClose,
  onConfirm,
}: {
  name: string;
  /** The name of the person that it is taken over from. */
  holder: string | null;
  note: string;
  pending: boolean;
  onClose: () => void;
  onConfirm: (note: string) => void;
}) {
  const [text, setText] = useState(note);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={holder ? `Take over ${name} from ${holder}?` : `Take ownership of ${name}`}
      description="Everybody sees who owns it. It ends with the task, or when it has not been stuck for five minutes."
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(text.trim());
        }}
      >
        <Field id="acknowledge-note" label="Note">
          {(control) => (
            <Input
              {...control}
              autoFocus
              autoComplete="off"
              maxLength={500}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" disabled={pending}>
            {holder ? "Take over" : "Take ownership"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
