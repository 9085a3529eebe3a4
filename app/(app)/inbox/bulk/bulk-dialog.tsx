"use client";

import { useState } from "react";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { plural } from "@/lib/text/labels.ts";
import type { BulkAction } from "./bulk-actions.ts";
import { BulkChosen } from "./bulk-chosen.tsx";
import { BulkEnding } from "./bulk-ending.tsx";
import { BulkFields } from "./bulk-fields.tsx";
import { BulkResults } from "./bulk-results.tsx";
import { useBulkAnswer } from "./use-bulk-answer.ts";

/** Shows what is about to be answered, asks once more, and then says what became of each. */
export function BulkDialog({
  action,
  requests,
  onDismiss,
  onDone,
}: {
  action: BulkAction;
  /** As they were when the dialog opened: what is read here is what is answered. */
  requests: InputRequestSummary[];
  onDismiss: () => void;
  onDone: () => void;
}) {
  const [comment, setComment] = useState("");
  const bulk = useBulkAnswer(requests);
  const send = (content = action.content) => {
    const said = comment.trim();
    if (!bulk.answer.isPending)
      bulk.answer.mutate({
        action: action.action,
        ...(content && { content }),
        ...(said && { comment: said }),
      });
  };
  const count = plural(requests.length, "request");
  const results = bulk.results;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (open) return;
        // What became of them is there before the lists behind it are read again.
        if (results) onDone();
        else if (!bulk.answer.isPending) onDismiss();
      }}
      title={results ? `${action.label}: what became of ${count}` : `${action.label} ${count}`}
      description={
        results
          ? "Intray has recorded these answers. Nothing is done before the server has accepted it."
          : action.action === "decline"
            ? `${requests[0]?.server.name} is told that you decline to answer each of them.`
            : `${requests[0]?.server.name} gets the same answer to each of them.`
      }
      className="md:max-w-xl"
    >
      {results ? (
        <BulkResults requests={requests} bulk={bulk} results={results} onClose={onDone} />
      ) : (
        <>
          <BulkChosen requests={requests} />
          {bulk.answer.error && (
            <Notice live tone="bad" title={bulk.problem.title}>
              <p>{bulk.problem.detail}</p>
            </Notice>
          )}
          {action.form ? (
            <BulkFields form={action.form} refused={bulk.problem.errors} onSend={send}>
              {(submit) => (
                <BulkEnding
                  action={action}
                  comment={comment}
                  onComment={setComment}
                  pending={bulk.answer.isPending}
                  count={count}
                  onDismiss={onDismiss}
                  onSend={submit}
                />
              )}
            </BulkFields>
          ) : (
            <BulkEnding
              action={action}
              comment={comment}
              onComment={setComment}
              pending={bulk.answer.isPending}
              count={count}
              onDismiss={onDismiss}
              onSend={() => send()}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
