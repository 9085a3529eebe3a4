"use client";

import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { Form } from "@/lib/mcp/forms/form.ts";
import { decisionOf } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { FieldError } from "@/lib/requests/words/answer-values.ts";
import { callParts, totals } from "@/lib/requests/words/bulk-words.ts";
import { WARNING_LABELS } from "@/lib/requests/words/request-labels.ts";
import { visibleText } from "@/lib/text/foreign/hidden.ts";
import { plural } from "@/lib/text/labels.ts";
import { declineReasons } from "@/lib/web/client/organization.ts";
import { AnswerFields } from "../answer/fields/answer-fields.tsx";
import { AnswerQuestion, FormWords } from "../answer/fields/answer-question.tsx";
import { useAnswerForm } from "../answer/fields/use-answer-form.ts";
import { type BulkAction, secondLook } from "./bulk-actions.ts";
import { type BulkOutcome, isOver } from "./bulk-outcome.ts";
import { BulkResults } from "./bulk-results.tsx";
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
  const send = (content = action.content) => {
    const said = comment.trim();
    if (!bulk.answer.isPending && !missing)
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
      unseen={missing}
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
          ? "Intray has recorded these answers. Nothing is done before the server has accepted it."
          : action.action === "decline"
            ? `${receiver} is told that you decline to answer each of them.`
            : `${receiver} gets the same answer to each of them.`
      }
      className="md:max-w-xl"
    >
      {results ? (
        <BulkResults requests={requests} bulk={bulk} results={results} receiver={receiver} onClose={close} />
      ) : (
        <>
          <ChosenRequests requests={requests} />
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

/** What each request asks and about which call, and the sum of the amounts. */
function ChosenRequests({ requests }: { requests: InputRequestSummary[] }) {
  const formats = useFormats();
  const sums = totals(requests.map((request) => request.amount));
  const without = requests.filter((request) => !request.amount).length;
  return (
    <div className="flex flex-col overflow-hidden rounded-lg border border-line">
      <ul
        aria-label="Selected requests"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, also with the keyboard
        tabIndex={0}
        className="scroll-quiet max-h-56"
      >
        {requests.map((request) => (
          <li
            key={request.id}
            className="flex items-start gap-4 border-line border-b px-3 py-2 text-[13px] last:border-b-0"
          >
            <span className="min-w-0 flex-1 break-words">
              <bdi>{visibleText(request.message)}</bdi>
              <span className="block text-muted text-xs">
                {callParts(request).map((part, at) => (
                  <Fragment key={String(at)}>
                    {at > 0 && " · "}
                    <bdi>{part}</bdi>
                  </Fragment>
                ))}
              </span>
            </span>
            {request.warnings.map((warning) => (
              <Badge key={warning} tone="bad" icon={TriangleAlert} className="shrink-0">
                {WARNING_LABELS[warning]}
              </Badge>
            ))}
            {request.amount && (
              <span className="shrink-0 font-medium tabular-nums">{formats.amount(request.amount)}</span>
            )}
          </li>
        ))}
      </ul>
      {sums.length > 0 && (
        <p className="flex flex-wrap items-baseline justify-between gap-x-4 border-line border-t bg-sunken px-3 py-2 text-[13px]">
          <span className="font-medium">
            Sum{without > 0 && <span className="font-normal text-muted"> · {without} without an amount</span>}
          </span>
          <span className="font-semibold tabular-nums">{sums.map(formats.amount).join(" + ")}</span>
        </p>
      )}
    </div>
  );
}

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
  unseen,
  count,
  onDismiss,
  onSend,
}: {
  action: BulkAction;
  comment: string;
  onComment: (text: string) => void;
  pending: boolean;
  unseen: boolean;
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
          Close
        </Button>
        <Button
          variant={declining ? "destructive" : "primary"}
          disabled={pending || unseen}
          aria-describedby={unseen ? "bulk-unseen" : undefined}
          onClick={onSend}
        >
          {pending ? "Recording…" : doesWords(action.label, count)}
        </Button>
      </DialogActions>
    </>
  );
}
