"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { declineReasons } from "@/lib/api-client/answers.ts";
import { rejectionOf } from "@/lib/input-requests/decision.ts";
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
          <fieldset className="flex flex-wrap gap-2">
            <legend className="sr-only">Common reasons</legend>
            {reasons.map((reason) => (
              <label
                key={reason}
                className="flex min-h-8 items-center rounded-full border border-line px-3 text-left text-[13px] wrap-anywhere hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 max-md:min-h-11 max-md:px-4"
              >
                <input
                  type="radio"
                  name="reason"
                  className="sr-only"
                  checked={chosen === reason}
                  onChange={() => setChosen(reason)}
                  // A second press takes it away again.
                  onClick={() => chosen === reason && setChosen("")}
                />
                {reason}
              </label>
            ))}
          </fieldset>
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
