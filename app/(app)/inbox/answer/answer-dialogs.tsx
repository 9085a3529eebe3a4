"use client";

import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Dialog, DialogActions, DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import { requestName } from "@/lib/format/requests/requests.ts";
import type { AnswerInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { DeclineForm } from "./decline-form.tsx";
import { ReasonBox } from "./reason-box.tsx";

const AssignDialog = lazyComponent(() => import("./assign-dialog.tsx").then((file) => file.AssignDialog), {
  loading: DialogLoading,
});

export type AnswerDialog = "decline" | "cancel" | "assign";

/** What asks once more: declining takes a reason, sending `cancel` explains what servers make of it. */
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
  onSend: (answer: Pick<AnswerInput, "action" | "content">, comment: string) => void;
}) {
  const common = { open: true, onOpenChange: (open: boolean) => !open && onDismiss() };
  switch (dialog) {
    case "assign":
      return <AssignDialog request={request} onDismiss={onDismiss} />;
    case "decline":
      return (
        <Dialog
          {...common}
          title={`Decline ${requestName(request)}`}
          description={`${request.server.name} is told only that it was declined; most servers take it as a no. Your reason is kept in Intray, in the timeline.`}
        >
          <DeclineForm
            request={request}
            initial={comment}
            pending={pending}
            onDismiss={onDismiss}
            onSend={onSend}
          />
        </Dialog>
      );
    case "cancel":
      return (
        <Dialog
          {...common}
          title={`Send cancel for ${requestName(request)}`}
          description="“Cancel” says that the question was dismissed without a choice. Many servers treat it as a rejection, some ask again. To decide later, use Close: it sends nothing."
        >
          <ReasonBox label="Comment" initial={comment} onSend={(said) => onSend({ action: "cancel" }, said)}>
            {(said) => (
              <DialogActions>
                <Button onClick={onDismiss}>Keep it open</Button>
                <Button
                  variant="destructive"
                  disabled={pending}
                  onClick={() => onSend({ action: "cancel" }, said)}
                >
                  Send cancel
                </Button>
              </DialogActions>
            )}
          </ReasonBox>
        </Dialog>
      );
  }
}
