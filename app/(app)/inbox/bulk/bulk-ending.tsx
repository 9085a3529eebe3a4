"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Textarea } from "@/components/ui/input.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { declineReasons } from "@/lib/api-client/answers.ts";
import type { BulkAction } from "./bulk-actions.ts";

/** The words that go along, and the buttons. */
export function BulkEnding({
  action,
  comment,
  onComment,
  pending,
  count,
  onDismiss,
  onSend,
}: {
  action: BulkAction;
  comment: string;
  onComment: (text: string) => void;
  pending: boolean;
  count: string;
  onDismiss: () => void;
  onSend: () => void;
}) {
  const id = useId();
  const declining = action.action === "decline";
  const { data } = useQuery({ ...declineReasons(), enabled: declining });
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="text-[13px] text-muted">
          <span className="font-medium">{declining ? "Reason" : "Your comment"}</span> · optional, kept in the
          timeline of each
        </label>
        {declining && data && data.reasons.length > 0 && (
          <div className="flex flex-wrap gap-1.5">
            {data.reasons.map((reason) => (
              <Button
                key={reason}
                size="sm"
                aria-pressed={comment === reason}
                className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
                onClick={() => onComment(comment === reason ? "" : reason)}
              >
                {reason}
              </Button>
            ))}
          </div>
        )}
        <Textarea
          id={id}
          rows={2}
          maxLength={4000}
          value={comment}
          onChange={(event) => onComment(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSend();
          }}
        />
      </div>
      <DialogActions>
        <Button onClick={onDismiss} disabled={pending}>
          Send nothing
        </Button>
        <Button variant={declining ? "destructive" : "primary"} disabled={pending} onClick={onSend}>
          {pending ? "Recording…" : `${action.label} ${count}`}
        </Button>
      </DialogActions>
    </>
  );
}
