"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { CardFoldsProvider, useCardFolds } from "@/components/text/folds.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import type { Form } from "@/lib/mcp/forms/form.ts";
import { decisionOf } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { FieldError } from "@/lib/requests/words/answer-values.ts";
import { plural } from "@/lib/text/labels.ts";
import { compared } from "@/lib/text/value-changes.ts";
import { declineReasons } from "@/lib/web/client/organization.ts";
import { callsOf } from "@/lib/web/client/request-context.ts";
import { readFirstWords } from "../answer/decision/decision-offer.ts";
import { useArmed } from "../answer/decision-store.ts";
import { AnswerFields } from "../answer/fields/answer-fields.tsx";
import { AnswerQuestion, FormWords } from "../answer/fields/answer-question.tsx";
import { useAnswerForm } from "../answer/fields/use-answer-form.ts";
import { type BulkAction, secondLook } from "./bulk-actions.ts";
import { type BulkOutcome, isOver } from "./bulk-outcome.ts";
import { BulkResults } from "./bulk-results.tsx";
import { ChosenRequests } from "./chosen-requests.tsx";
import { followBulk, useFollowed } from "./follow-bulk.tsx";
import { useBulkAnswer } from "./use-bulk-answer.ts";

const NONE: BulkOutcome[] = [];

/** Lists the requests, asks for confirmation, then shows the result of each. */
export function BulkDialog({
  action,
  requests,
  onDismiss,
  onDone,
}: {
  action: BulkAction;
  /** The requests as they were when the dialog opened: what a person reads is what is answered. */
  requests: InputRequestSummary[];
  onDismiss: () => void;
  onDone: () => void;
}) {
  const [comment, setComment] = useState("");
  const [seen, setSeen] = useState(false);
  const { marked, missing } = secondLook(action, requests, { seen, comment });
  const bulk = useBulkAnswer(requests);
  const reads = !action.harmless;
  const calls = useQuery({ ...callsOf(requests.map(({ id }) => id)), enabled: reads });
  const parts = useMemo(() => (calls.data ? compared(calls.data) : null), [calls.data]);
  const folds = useCardFolds();
  const isUnfolded = folds.opened.length > 0;
  const armed = useArmed("bulk", isUnfolded);
  const isBarred = missing || (reads && parts === null);
  const send = (content = action.content) => {
    const said = comment.trim();
    if (isBarred || !armed) return;
    if (reads && folds.unopened.length > 0) {
      folds.reveal();
      document.activeElement?.scrollIntoView({ block: "center" });
      return;
    }
    if (!bulk.answer.isPending)
      bulk.answer.mutate({
        action: action.action,
        ...(content && { content }),
        ...(said && { comment: said }),
      });
  };
  const count = plural(requests.length, "request");
  const followed = useFollowed(bulk.results ?? NONE);
  const results = bulk.results && followed;
  const receiver = requests[0]?.server.name ?? "the server";
  const close = () => {
    if (results && !isOver(results)) followBulk(results, receiver);
    onDone();
  };
  const commentAndButtons = (onSend: () => void) => (
    <CommentAndButtons
      action={action}
      comment={comment}
      onComment={setComment}
      pending={bulk.answer.isPending}
      barred={isBarred}
      told={isUnfolded ? readFirstWords(folds.opened) : null}
      count={count}
      onDismiss={onDismiss}
      onSend={onSend}
    />
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (open) return;
        // The results arrive before the mutation ends, which waits until the lists are refetched.
        if (results) close();
        else if (!bulk.answer.isPending) onDismiss();
      }}
      title={results ? `${action.label}: results for ${count}` : doesWords(action.label, count)}
      description={
        results
          ? "Intray has recorded these answers. An answer has no effect until the server accepts it."
          : action.action === "decline"
            ? `Intray tells ${receiver} that you decline to answer all of these requests.`
            : `${receiver} gets the same answer to all of these requests.`
      }
      className="md:max-w-xl"
      // The focus of a control below would scroll past what is to be read.
      forReading
    >
      {results ? (
        <BulkResults requests={requests} bulk={bulk} results={results} receiver={receiver} onClose={close} />
      ) : (
        <>
          <CardFoldsProvider value={folds.card}>
            <ChosenRequests requests={requests} parts={parts} />
          </CardFoldsProvider>
          {calls.isLoading && (
            <p role="status" className="text-[13px] text-muted">
              Loading the calls…
            </p>
          )}
          {calls.isError && (
            <LoadFailure what="The calls" error={calls.error} onRetry={() => void calls.refetch()} />
          )}
          {calls.data && parts === null && (
            <Notice tone="wait" title="These calls are too long to read together">
              <p>Accept them one by one.</p>
            </Notice>
          )}
          {marked > 0 && (
            <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-(--accent)"
                checked={seen}
                onChange={(event) => setSeen(event.target.checked)}
              />
              <span id="bulk-unseen">
                I’ve seen what is marked on {plural(marked, "request")}, or say why below
              </span>
            </label>
          )}
          {bulk.answer.error && (
            <Notice live tone="bad" title={bulk.problem.title}>
              <p>{bulk.problem.detail}</p>
            </Notice>
          )}
          {action.form ? (
            <SharedFields
              form={action.form}
              filled={action.content === undefined}
              refused={bulk.problem.errors}
              onSend={send}
            >
              {commentAndButtons}
            </SharedFields>
          ) : (
            commentAndButtons(() => send())
          )}
        </>
      )}
    </Dialog>
  );
}

/** “Approve all” of a server is no word of Intray's about all of them. */
function doesWords(label: string, count: string): string {
  return OWN_WORDS.test(label) ? `${label} ${count}` : `“${label}” for ${count}`;
}

const OWN_WORDS = /^(?:Approve|Reject|Confirm|Answer|Yes|No|Deny|Allow|Accept|Refuse|Decline)$/;

/** The form that all the requests share: filled in once, without a draft, or what one reads above its choices. */
function SharedFields({
  form,
  filled,
  refused,
  onSend,
  children,
}: {
  form: Form;
  /** The answer is what is filled in, and not a choice. */
  filled: boolean;
  /** The errors that the server returned. */
  refused: FieldError[];
  /** Without content: what the action itself sends. */
  onSend: (content?: Record<string, unknown>) => void;
  children: (submit: () => void) => ReactNode;
}) {
  const answer = useAnswerForm(form, null);
  const decision = decisionOf(form, filled);
  const submit = () => (decision.kind === "form" ? answer.submit(onSend) : onSend());
  const refuse = useRef(answer.refuse);
  useEffect(() => {
    refuse.current = answer.refuse;
  });
  useEffect(() => {
    refuse.current(refused);
  }, [refused]);
  return (
    <>
      <FormWords form={form} />
      {decision.kind === "form" ? (
        <AnswerFields form={answer} onSubmit={submit} />
      ) : (
        <AnswerQuestion decision={decision} />
      )}
      {children(submit)}
    </>
  );
}

/** The comment or reason sent with each answer, and the dialog's buttons. */
function CommentAndButtons({
  action,
  comment,
  onComment,
  pending,
  barred,
  told,
  count,
  onDismiss,
  onSend,
}: {
  action: BulkAction;
  comment: string;
  onComment: (text: string) => void;
  pending: boolean;
  /** Something is missing, or has to be read first. */
  barred: boolean;
  /** What the last press has opened. */
  told: string | null;
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
          <span className="font-medium">{declining ? "Reason" : "Your comment"}</span> · optional, kept in
          Intray
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
      <p role="status" className="text-[13px] text-wait empty:hidden">
        {told}
      </p>
      {/* Not in view before the end of the list is: unlike `DialogActions`. */}
      <div className="flex flex-wrap justify-end gap-2 max-md:*:flex-1">
        <Button onClick={onDismiss} disabled={pending}>
          Close
        </Button>
        <Button
          variant={declining ? "destructive" : "primary"}
          disabled={pending || barred}
          aria-describedby={barred ? "bulk-unseen" : undefined}
          onClick={onSend}
        >
          {pending ? "Recording…" : doesWords(action.label, count)}
        </Button>
      </div>
    </>
  );
}
