"use client";

import { useId, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/dialog.tsx";
import { Textarea } from "@/components/ui/input.tsx";
import { requestName } from "@/lib/format/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

export type AnswerDialog = "decline" | "cancel" | null;

/** Declining asks for a reason; sending `cancel` explains what servers make of it. */
export function AnswerDialogs({
  dialog,
  request,
  comment,
  pending,
  onDismiss,
  onSend,
}: {
  dialog: AnswerDialog;
  request: InputRequestDetail;
  comment: string;
  pending: boolean;
  onDismiss: () => void;
  onSend: (action: "decline" | "cancel", comment: string) => void;
}) {
  const decline = dialog === "decline";
  return (
    <Dialog
      open={dialog !== null}
      onOpenChange={(open) => !open && onDismiss()}
      title={decline ? `Decline ${requestName(request)}` : `Send cancel for ${requestName(request)}`}
      description={
        decline
          ? `${request.server.name} is told that you decline to answer. Most servers take it as a no.`
          : `“Cancel” says that the question was dismissed without a choice. Many servers treat it as a rejection, some ask again. To decide later, use Close: it sends nothing.`
      }
    >
      {dialog && (
        <Reason
          key={dialog}
          initial={comment}
          label={decline ? "Reason" : "Comment"}
          confirm={decline ? "Decline" : "Send cancel"}
          pending={pending}
          onDismiss={onDismiss}
          onSend={(said) => onSend(dialog, said)}
        />
      )}
    </Dialog>
  );
}

function Reason({
  initial,
  label,
  confirm,
  pending,
  onDismiss,
  onSend,
}: {
  initial: string;
  label: string;
  confirm: string;
  pending: boolean;
  onDismiss: () => void;
  onSend: (said: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState(initial);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text);
      }}
    >
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="text-[13px] text-muted">
          <span className="font-medium">{label}</span> · optional, kept in the timeline
        </label>
        <Textarea
          id={id}
          // The caret belongs here: D is pressed to write the reason.
          autoFocus
          rows={3}
          maxLength={4000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSend(text);
          }}
        />
      </div>
      <DialogActions>
        <Button onClick={onDismiss}>Keep it open</Button>
        <Button type="submit" variant="destructive" disabled={pending}>
          {confirm}
        </Button>
      </DialogActions>
    </form>
  );
}
