"use client";

import { type ReactNode, useRef, useState } from "react";
import { useMe } from "@/components/shell/me.tsx";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { type AnswerValues, initialValues, readAnswer } from "@/lib/format/answer-values.ts";
import { decisionOf } from "@/lib/format/decision.ts";
import type { AnswerInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { type AnswerDialog, AnswerDialogs } from "./answer-dialogs.tsx";
import { AnswerFields } from "./answer-fields.tsx";
import { CommentBox, useComment } from "./comment-box.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { UrlQuestion } from "./url-question.tsx";
import { useClaim } from "./use-claim.ts";
import { type Refusal, refusalOf, useDecide } from "./use-decide.tsx";
import { useDraft } from "./use-draft.ts";
import { undoable, useUndo } from "./use-undo.ts";
import { whyNot } from "./why-not.ts";

/** Everything a person answers with: the fields, the comment, the bar that stays in view, and the keys. */
export function AnswerArea({
  question,
  request,
  blocked,
  cautious,
  showQuestion,
  onClose,
  children,
}: {
  /** As pinned on the screen; answers bind to its hash. */
  question: InputRequestDetail;
  /** As it is now. */
  request: InputRequestDetail;
  /** The question on the screen is no longer the one that is asked. */
  blocked: boolean;
  /** One key must not decide: A only moves the focus. */
  cautious: boolean;
  showQuestion: () => boolean;
  onClose: () => void;
  children: (form: ReactNode) => ReactNode;
}) {
  const me = useMe();
  const fields = question.fields.kind === "supported" ? question.fields.fields : [];
  const decision = decisionOf(question.fields);
  const isUrl = question.mode === "url";
  const [values, setValues] = useState<AnswerValues>(() => initialValues(fields, question.draft));
  const [comment, setComment] = useComment(question.id);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [opened, setOpened] = useState(false);
  const [dialog, setDialog] = useState<AnswerDialog>(null);
  const affirmative = useRef<HTMLButtonElement>(null);
  const other = useRef<HTMLButtonElement>(null);
  const draft = useDraft(question.id);
  const decide = useDecide(question);
  const undo = useUndo();
  const claimedByMe = request.claimedBy?.id === me.user.id;
  const claim = useClaim(request, claimedByMe);
  const reason = whyNot(request, me, blocked);
  const answering = request.state === "open" && me.may("approver");

  const send = (answer: Pick<AnswerInput, "action" | "content">, withComment = comment) => {
    if (decide.isPending) return;
    setRefusal(null);
    const said = withComment.trim();
    decide.mutate(
      { ...answer, ...(said ? { comment: said } : {}) },
      {
        onSuccess: () => {
          draft.forget();
          setComment("");
        },
        onError: (error) => setRefusal(refusalOf(error)),
      },
    );
    setDialog(null);
  };

  const sendForm = () => {
    const read = readAnswer(fields, values);
    if (read.errors.length === 0) return send({ action: "accept", content: read.content });
    setRefusal({ title: "", detail: "", errors: read.errors });
  };

  const press = (button: HTMLButtonElement | null, onlyFocus: boolean) => {
    if (!answering || reason || !button) return;
    if (!showQuestion()) return;
    if (onlyFocus) button.focus();
    else button.click();
  };
  const manyChoices =
    decision.kind === "form" || (decision.kind === "choices" && decision.choices.length > 2);
  useShortcuts({
    a: () => press(affirmative.current, cautious || manyChoices || isUrl),
    r: () => press(other.current, manyChoices),
    d: (event) => {
      event.preventDefault();
      if (answering && !reason) setDialog("decline");
    },
    c: () => {
      if (answering && (claimedByMe || !request.claimedBy)) claim.mutate();
    },
    z: () => {
      const id = undoable() ?? (request.delivery?.state === "held" ? request.id : null);
      if (id && me.may("approver")) void undo(id);
    },
  });

  return (
    <>
      {children(
        answering && (
          <div className="flex flex-col gap-6">
            {isUrl ? (
              <UrlQuestion question={question} opened={opened} onOpened={() => setOpened(true)} />
            ) : (
              <AnswerFields
                decision={decision}
                values={values}
                errors={refusal?.errors ?? []}
                disabled={reason !== null}
                draftSaved={draft.saved}
                onSubmit={sendForm}
                onChange={(name, value) => {
                  const next = { ...values, [name]: value };
                  setValues(next);
                  draft.save(next);
                }}
              />
            )}
            <CommentBox value={comment} onChange={setComment} disabled={reason !== null} />
          </div>
        ),
      )}
      {/* Beside the bar, where the hand is, and also once someone else's answer has taken the form away. */}
      {refusal?.title && (
        <div className="shrink-0 px-4 pb-3 md:px-8">
          <Notice live tone="bad" title={refusal.title}>
            <p>{refusal.detail}</p>
          </Notice>
        </div>
      )}
      {request.state === "open" && (
        <DecisionBar
          request={request}
          decision={decision}
          reason={reason}
          pending={decide.isPending}
          opened={opened}
          claimedByMe={claimedByMe}
          affirmative={affirmative}
          other={other}
          onAccept={(content) => send({ action: "accept", ...(content ? { content } : {}) })}
          onSubmitForm={sendForm}
          onDialog={setDialog}
          onClaim={() => claim.mutate()}
          onClose={onClose}
        />
      )}
      <AnswerDialogs
        dialog={dialog}
        request={request}
        comment={comment}
        pending={decide.isPending}
        onDismiss={() => setDialog(null)}
        onSend={(action, said) => send({ action }, said)}
      />
    </>
  );
}
