"use client";

import { useQuery } from "@tanstack/react-query";
import { ToggleGroup } from "radix-ui";
import { useState } from "react";
import { declineReasons } from "@/components/api/answers.ts";
import { Button } from "@/components/ui/button.tsx";
import { DialogActions } from "@/components/ui/dialog.tsx";
import { rejectionOf } from "@/lib/format/decision.ts";
import type { AnswerInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { ReasonBox } from "./reason-box.tsx";

/** The organization's reasons by one press, and words of one's own. Where the form itself says no, that is offered. */
export function DeclineForm({
  request,
  initial,
  pending,
  onDismiss,
  onSend,
}: {
  request: InputRequestDetail;
  initial: string;
  pending: boolean;
  onDismiss: () => void;
  onSend: (answer: Pick<AnswerInput, "action" | "content">, comment: string) => void;
}) {
  const reasons = useQuery(declineReasons()).data?.reasons ?? [];
  const [chosen, setChosen] = useState("");
  const rejection = rejectionOf(request.fields);
  const decline = (said: string) => onSend({ action: "decline" }, whole(chosen, said));
  const reject = (said: string) => {
    const reason = whole(chosen, said);
    const field = rejection?.reasonField;
    const content = { ...rejection?.content, ...(field && reason && { [field]: reason }) };
    onSend({ action: "accept", content }, reason);
  };
  return (
    <ReasonBox
      label="Reason"
      initial={initial}
      onSend={decline}
      above={
        reasons.length > 0 && (
          <ToggleGroup.Root
            type="single"
            aria-label="Common reasons"
            value={chosen}
            onValueChange={setChosen}
            className="flex flex-wrap gap-2"
          >
            {reasons.map((reason) => (
              <ToggleGroup.Item
                key={reason}
                value={reason}
                className="min-h-8 rounded-full border border-line px-3 text-left text-[13px] wrap-anywhere hover:bg-sunken data-[state=on]:border-accent data-[state=on]:bg-accent-soft data-[state=on]:font-medium max-md:min-h-11 max-md:px-4"
              >
                {reason}
              </ToggleGroup.Item>
            ))}
          </ToggleGroup.Root>
        )
      }
    >
      {(said) => (
        <>
          {rejection && (
            <p className="text-[13px] text-muted">
              {rejection.reasonField
                ? `The form has a “${rejection.label}” of its own that takes a reason: with it ${request.server.name} gets to read yours.`
                : `The form has a “${rejection.label}” of its own, which tells ${request.server.name} more than declining.`}
            </p>
          )}
          <DialogActions>
            <Button onClick={onDismiss}>Keep it open</Button>
            {rejection && (
              <Button disabled={pending} onClick={() => reject(said)}>
                {rejection.reasonField ? `${rejection.label} with this reason` : `${rejection.label} instead`}
              </Button>
            )}
            <Button variant="destructive" disabled={pending} onClick={() => decline(said)}>
              Decline
            </Button>
          </DialogActions>
        </>
      )}
    </ReasonBox>
  );
}

/** `Duplicate: see INV-99` */
function whole(chosen: string, said: string): string {
  return [chosen, said.trim()].filter(Boolean).join(": ");
}
