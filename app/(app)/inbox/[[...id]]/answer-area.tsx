"use client";

import { type ReactNode, useRef, useState } from "react";
import { useMe } from "@/components/shell/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { decisionOf } from "@/lib/format/decision.ts";
import type { AnswerInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { type AnswerDialog, AnswerDialogs } from "./answer-dialogs.tsx";
import { AnswerFields } from "./answer-fields.tsx";
import { CommentBox } from "./comment-box.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { DraftLine } from "./draft-line.tsx";
import { UrlQuestion } from "./url-question.tsx";
import { useAnswerForm } from "./use-answer-form.ts";
import { useAnswerKeys } from "./use-answer-keys.ts";
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
  const decision = decisionOf(question.fields);
  const isUrl = question.mode === "url";
  const form = useAnswerForm(question.fields, question.draft?.content ?? null);
  const draft = useDraft(question.id, request.draft, form);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [opened, setOpened] = useState(false);
  const [dialog, setDialog] = useState<AnswerDialog>(null);
  const affirmative = useRef<HTMLButtonElement>(null);
  const other = useRef<HTMLButtonElement>(null);
  const decide = useDecide(question);
  const undo = useUndo();
  const claimedByMe = request.claimedBy?.id === me.user.id;
  const claim = useClaim(request, claimedByMe);
  const reason = whyNot(request, me, blocked);
  const answering = request.state === "open" && me.may("approver");

  const send = (answer: Pick<AnswerInput, "action" | "content">, comment = draft.comment) => {
    if (decide.isPending) return;
    setRefusal(null);
    // Taken back, the answer leads to the form as it is now.
    draft.flush();
    const said = comment.trim();
    decide.mutate(
      { ...answer, ...(said ? { comment: said } : {}) },
      {
        onError: (error) => {
          const refused = refusalOf(error);
          setRefusal(refused);
          form.refuse(refused.errors);
        },
      },
    );
    setDialog(null);
  };
  const sendForm = () => form.submit((content) => send({ action: "accept", content }));

  const manyChoices =
    decision.kind === "form" || (decision.kind === "choices" && decision.choices.length > 2);
  useAnswerKeys({
    affirmative,
    other,
    onlyFocus: { affirmative: cautious || manyChoices || isUrl, other: manyChoices },
    showQuestion,
    decline: answering && !reason ? () => setDialog("decline") : null,
    claim: answering && (claimedByMe || !request.claimedBy) ? () => claim.mutate() : null,
    undo: () => {
      const id = undoable() ?? (request.delivery?.state === "held" ? request.id : null);
      if (id && me.may("approver")) void undo(id);
    },
  });
  const draftLine = <DraftLine draft={draft} />;

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
                form={form}
                disabled={reason !== null}
                status={draftLine}
                onSubmit={sendForm}
                onLeaveField={draft.flush}
              />
            )}
            <CommentBox
              value={draft.comment}
              onChange={draft.setComment}
              onBlur={draft.flush}
              disabled={reason !== null}
            />
            {(isUrl || decision.kind !== "form") && draftLine}
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
        comment={draft.comment}
        pending={decide.isPending}
        onDismiss={() => setDialog(null)}
        onSend={(action, said) => send({ action }, said)}
      />
    </>
  );
}
