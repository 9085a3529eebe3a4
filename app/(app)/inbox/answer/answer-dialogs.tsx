"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Textarea } from "@/components/ui/field.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Dialog, DialogActions, DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import type { AnswerInput } from "@/lib/requests/request-input-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { cancelWords, declineWords, receiverOf, reviseWords } from "@/lib/requests/words/own-questions.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { declineReasons } from "@/lib/web/client/organization.ts";
import { mayRevise, needsReason } from "./decision/decision-offer.ts";

const AssignDialog = lazyComponent(
  () => import("./assignment/assign-dialog.tsx").then((file) => file.AssignDialog),
  {
    loading: DialogLoading,
  },
);

const EditCallDialog = lazyComponent(
  () => import("./decision/edit-call-dialog.tsx").then((file) => file.EditCallDialog),
  {
    loading: DialogLoading,
  },
);

const StandingDialog = lazyComponent(
  () => import("./decision/standing-dialog.tsx").then((file) => file.StandingDialog),
  {
    loading: DialogLoading,
  },
);

const JudgeAgainDialog = lazyComponent(
  () => import("../request/judge-again-dialog.tsx").then((file) => file.JudgeAgainDialog),
  {
    loading: DialogLoading,
  },
);

const SnoozeDialog = lazyComponent(
  () => import("../thread/snooze-dialog.tsx").then((file) => file.SnoozeDialog),
  {
    loading: DialogLoading,
  },
);

export type AnswerDialog =
  | "reject"
  | "decline"
  | "revise"
  | "edit"
  | "standing"
  | "cancel"
  | "assign"
  | "judge-again"
  | "snooze";

type SendAnswer = (
  answer: Pick<AnswerInput, "action" | "content" | "revise" | "standing">,
  comment: string,
) => void;

/** Confirmation dialogs: declining takes a reason, and sending `cancel` explains how servers treat it. */
export function AnswerDialogs({
  dialog,
  request,
  comment,
  refusedChange,
  pending,
  onDismiss,
  onSend,
}: {
  dialog: AnswerDialog;
  request: InputRequestDetail;
  comment: string;
  /** The arguments of an approval with changes that was refused; null: none was. */
  refusedChange: Record<string, unknown> | null;
  pending: boolean;
  onDismiss: () => void;
  onSend: SendAnswer;
}) {
  const common = { open: true, onOpenChange: (open: boolean) => !open && onDismiss() };
  switch (dialog) {
    case "assign":
      return <AssignDialog request={request} onDismiss={onDismiss} />;
    case "edit":
      return (
        <EditCallDialog
          request={request}
          comment={comment}
          refused={refusedChange}
          pending={pending}
          onDismiss={onDismiss}
          onSend={onSend}
        />
      );
    case "standing":
      return (
        <StandingDialog
          request={request}
          comment={comment}
          pending={pending}
          onDismiss={onDismiss}
          onSend={onSend}
        />
      );
    case "snooze":
      return <SnoozeDialog request={request} onDismiss={onDismiss} />;
    case "judge-again":
      return <JudgeAgainDialog request={request} onDismiss={onDismiss} />;
    case "reject":
      return (
        <Dialog
          {...common}
          title={`Reject ${requestName(request)}`}
          description="A reason is required. It is kept in Intray."
        >
          <DeclineForm
            request={request}
            onlyRejects
            initial={comment}
            pending={pending}
            onDismiss={onDismiss}
            onSend={onSend}
          />
        </Dialog>
      );
    case "decline":
      return (
        <Dialog
          {...common}
          title={`${request.origin === "intray" ? "Decline" : "Decline to answer"} ${requestName(request)}`}
          description={declineWords(request)}
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
    case "revise":
      return (
        <Dialog
          {...common}
          title={`Ask to revise ${requestName(request)}`}
          description={reviseWords(request)}
        >
          <ReviseForm
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
          title={`Dismiss ${requestName(request)} without answering`}
          description={`${cancelWords(request)} To decide later, use Skip: it sends nothing.`}
        >
          <CancelForm
            request={request}
            initial={comment}
            pending={pending}
            onDismiss={onDismiss}
            onSend={onSend}
          />
        </Dialog>
      );
  }
}

interface NoFormProps {
  request: InputRequestDetail;
  initial: string;
  pending: boolean;
  onDismiss: () => void;
  onSend: SendAnswer;
}

/** The text is what the agent goes by: without one there is nothing to revise. */
function ReviseForm({ initial, pending, onDismiss, onSend }: NoFormProps) {
  const revise = (said: string) => said.trim() !== "" && onSend({ action: "decline", revise: true }, said);
  return (
    <ReasonBox label="What to change" isRequired initial={initial} onSend={revise}>
      {(said) => (
        <DialogActions>
          <Button onClick={onDismiss}>Close</Button>
          <Button variant="primary" disabled={pending || said.trim() === ""} onClick={() => revise(said)}>
            Ask to revise
          </Button>
        </DialogActions>
      )}
    </ReasonBox>
  );
}

function CancelForm({ request, initial, pending, onDismiss, onSend }: NoFormProps) {
  const isRequired = needsReason(request);
  const isMissing = (said: string) => isRequired && said.trim() === "";
  const cancel = (said: string) => !isMissing(said) && onSend({ action: "cancel" }, said);
  return (
    <ReasonBox label="Comment" isRequired={isRequired} initial={initial} onSend={cancel}>
      {(said) => (
        <>
          {request.approval && <p className="text-[13px] text-muted">Dismissing counts as your rejection.</p>}
          <DialogActions>
            <Button onClick={onDismiss}>Close</Button>
            <Button variant="destructive" disabled={pending || isMissing(said)} onClick={() => cancel(said)}>
              Dismiss without answering
            </Button>
          </DialogActions>
        </>
      )}
    </ReasonBox>
  );
}

/** The organization's usual reasons, and free text. Offers the form's own way to say no, if any. */
function DeclineForm({
  request,
  onlyRejects = false,
  initial,
  pending,
  onDismiss,
  onSend,
}: NoFormProps & {
  /** Only the form's own no was pressed. */
  onlyRejects?: boolean;
}) {
  const reasons = useQuery(declineReasons()).data?.reasons ?? [];
  const [chosen, setChosen] = useState("");
  const { rejection } = request;
  const isRequired = needsReason(request);
  const isMissing = (said: string) => isRequired && joinReason(chosen, said) === "";
  const decline = (said: string) =>
    !isMissing(said) && onSend({ action: "decline" }, joinReason(chosen, said));
  const revises = !onlyRejects && mayRevise(request);
  const revise = (said: string) => {
    const text = joinReason(chosen, said);
    if (text !== "") onSend({ action: "decline", revise: true }, text);
  };
  const reject = (said: string) => {
    const reason = joinReason(chosen, said);
    const field = rejection?.reasonField;
    const content = { ...rejection?.content, ...(field && reason && { [field]: reason }) };
    onSend({ action: "accept", content }, reason);
  };
  return (
    <ReasonBox
      label="Reason"
      isRequired={isRequired}
      initial={initial}
      onSend={onlyRejects ? reject : decline}
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
                  // A second press clears the choice.
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
          {rejection && !onlyRejects && (
            <p className="text-[13px] text-muted">
              {rejection.reasonField
                ? `The form has its own choice “${rejection.label}”. You can give a reason there, and ${receiverOf(request)} can read it.`
                : `The form has its own choice “${rejection.label}”. It is clearer to ${receiverOf(request)} than declining.`}
            </p>
          )}
          <DialogActions>
            <Button onClick={onDismiss}>Close</Button>
            {rejection && (
              <Button
                variant={onlyRejects ? "destructive" : "outline"}
                disabled={pending || isMissing(said)}
                onClick={() => reject(said)}
              >
                {rejection.reasonField || onlyRejects
                  ? `${rejection.label} with this reason`
                  : `${rejection.label} instead`}
              </Button>
            )}
            {revises && (
              <Button disabled={pending || joinReason(chosen, said) === ""} onClick={() => revise(said)}>
                Ask to revise instead
              </Button>
            )}
            {!onlyRejects && (
              <Button
                variant="destructive"
                disabled={pending || isMissing(said)}
                onClick={() => decline(said)}
              >
                Decline
              </Button>
            )}
          </DialogActions>
        </>
      )}
    </ReasonBox>
  );
}

/** Joins a chosen reason with free text: `Duplicate: see INV-99`. */
function joinReason(chosen: string, said: string): string {
  return [chosen, said.trim()].filter(Boolean).join(": ");
}

/** A text box that takes the focus. Ctrl or ⌘ with Enter sends. */
function ReasonBox({
  label,
  isRequired = false,
  initial,
  above,
  onSend,
  children,
}: {
  label: string;
  isRequired?: boolean;
  initial: string;
  above?: ReactNode;
  onSend: (said: string) => void;
  children: (said: string) => ReactNode;
}) {
  const id = useId();
  const [text, setText] = useState(initial);
  return (
    <div className="flex flex-col gap-4">
      {above}
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="flex items-center gap-1.5 text-[13px] text-muted">
          <span>
            <span className="font-medium">{label}</span> · {isRequired ? "required" : "optional"}
          </span>
          <Kbd className="ml-auto">Ctrl ↵ sends</Kbd>
        </label>
        <Textarea
          id={id}
          // People press D to write the reason.
          autoFocus
          rows={3}
          maxLength={3500}
          aria-required={isRequired || undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            onSend(text);
          }}
        />
      </div>
      {children(text)}
    </div>
  );
}
