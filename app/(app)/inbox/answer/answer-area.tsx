"use client";

import { type ReactNode, useRef, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import type { AnswerValues } from "@/lib/format/requests/answer-values.ts";
import { decisionOf } from "@/lib/input-requests/decision.ts";
import type { AnswerInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import {
  AnswerCommands,
  AnswerDialogs,
  ClaimAlive,
  ClaimLine,
  RestlessQuestion,
  UrlQuestion,
} from "../request/request-parts.ts";
import { whyNot, whyNotAccept } from "./answer-blockers.ts";
import type { AnswerDialog } from "./answer-dialogs.tsx";
import { type Refusal, refusalOf } from "./answer-error.ts";
import { CommentBox } from "./comment-box.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { DraftLine } from "./draft-line.tsx";
import { AnswerQuestion, type FieldsProps } from "./fields/answer-question.tsx";
import type { AnswerForm } from "./fields/use-answer-form.ts";
// With the first load: it is wanted when the network is away.
import { Refused } from "./refused.tsx";
import { useAnswerKeys } from "./use-answer-keys.ts";
import { useClaim } from "./use-claim.ts";
import { useDecide } from "./use-decide.tsx";
import { useDraft } from "./use-draft.ts";
import { useOpenedSite } from "./use-opened-site.ts";

export interface AnswerAreaProps {
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
}

/** What the rest of the pane has to do with the fields. */
type Filled = Pick<AnswerForm, "submit" | "refuse" | "watch" | "restore">;

/** Where one press decides there is nothing to fill in. A draft holds the comment alone. */
export const NOTHING_TO_FILL: Filled = {
  submit: () => {},
  refuse: () => {},
  watch: () => () => {},
  restore: (draft) => (draft ?? {}) as AnswerValues,
};

/** Everything a person answers with: the fields, the comment, the bar that stays in view, and the keys. */
export function AnswerArea({
  question,
  request,
  blocked,
  cautious,
  showQuestion,
  onClose,
  children,
  form,
  fields,
}: AnswerAreaProps & {
  form: Filled;
  /** Null: there are none. */
  fields: ((props: FieldsProps) => ReactNode) | null;
}) {
  const me = useMe();
  const decision = decisionOf(question.fields);
  const isUrl = question.mode === "url";
  const draft = useDraft(question.id, request.draft, form);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [opened, setOpened] = useOpenedSite(question);
  const [dialog, setDialog] = useState<AnswerDialog | null>(null);
  const affirmative = useRef<HTMLButtonElement>(null);
  const other = useRef<HTMLButtonElement>(null);
  const decide = useDecide(question);
  const claimedByMe = request.claimedBy?.id === me.user.id;
  const claim = useClaim(request);
  const claimedByOther = request.claimedBy !== null && !claimedByMe;
  const restless = request.rewordedAt !== null;
  const [agreed, setAgreed] = useState(false);
  const barred = whyNot(request, me, blocked);
  const reason = barred ?? (restless && !agreed ? "The wording changes: agree to that first." : null);
  const acceptReason = reason ?? whyNotAccept(request, me);
  /** A decision was refused because the question is no longer open: what was filled in stays, to be read. */
  const lost = refusal !== null && request.state !== "open";
  const answering = request.state === "open" && me.may("requests:answer");

  const send = (answer: Pick<AnswerInput, "action" | "content">, comment = draft.comment) => {
    setRefusal(null);
    // Taken back, the answer leads to the form as it is now.
    draft.flush();
    const said = comment.trim();
    const more = { ...(said ? { comment: said } : {}), ...(agreed ? { anyWording: true } : {}) };
    decide.send({ ...answer, ...more }, (error) => {
      const refused = refusalOf(error, me.user.id);
      setRefusal(refused);
      form.refuse(refused.errors);
    });
    setDialog(null);
  };
  const sendForm = () => {
    if (acceptReason === null) form.submit((content) => send({ action: "accept", content }));
  };

  const manyChoices =
    decision.kind === "form" || (decision.kind === "choices" && decision.choices.length > 2);
  const offered = {
    decline: answering && !reason ? () => setDialog("decline") : null,
    claim: answering && !claimedByOther ? () => claim.take(claimedByMe ? "release" : "claim") : null,
  };
  useAnswerKeys({
    affirmative,
    other,
    onlyFocus: { affirmative: cautious || manyChoices || isUrl, other: manyChoices },
    showQuestion,
    ...offered,
  });
  const draftLine = <DraftLine draft={draft} />;

  return (
    <>
      {children(
        (answering || (lost && decision.kind === "form")) && (
          <div className="flex flex-col gap-6">
            {restless && answering && (
              <RestlessQuestion
                question={question}
                request={request}
                agreed={agreed}
                disabled={barred !== null}
                onAgree={setAgreed}
              />
            )}
            {isUrl ? (
              <UrlQuestion question={question} opened={opened} disabled={blocked} onOpened={setOpened} />
            ) : fields ? (
              fields({
                disabled: (barred ?? whyNotAccept(request, me)) !== null || lost,
                status: draftLine,
                onSubmit: sendForm,
                onLeaveField: draft.flush,
              })
            ) : (
              <AnswerQuestion decision={decision} />
            )}
            <CommentBox
              value={draft.comment}
              onChange={draft.setComment}
              onBlur={draft.flush}
              disabled={barred !== null || lost}
            />
            {(isUrl || decision.kind !== "form") && draftLine}
          </div>
        ),
      )}
      {/* Beside the bar, where the hand is, and also once someone else's answer has taken the form away. */}
      {refusal?.title && <Refused refusal={refusal} request={request} keptForm={decision.kind === "form"} />}
      {request.state === "open" && (
        <DecisionBar
          request={request}
          decision={decision}
          reason={
            claimedByOther && me.may("requests:answer") ? (
              <ClaimLine request={request} onTakeOver={() => claim.take("take-over")} />
            ) : (
              acceptReason
            )
          }
          disabled={reason !== null}
          cautious={cautious}
          pending={decide.answer}
          opened={opened}
          affirmative={affirmative}
          other={other}
          onAccept={(content) => send({ action: "accept", ...(content ? { content } : {}) })}
          onSubmitForm={sendForm}
          onDialog={setDialog}
          onClaim={claim.take}
          onClose={onClose}
        />
      )}
      {claim.claimed && <ClaimAlive request={request} mine={claimedByMe} given={claim.given} />}
      <AnswerCommands
        request={request}
        decision={decision}
        reason={reason}
        acceptReason={acceptReason}
        offered={offered}
        affirmative={affirmative}
        other={other}
        onAssign={() => setDialog("assign")}
      />
      {dialog && (
        <AnswerDialogs
          dialog={dialog}
          request={request}
          comment={draft.comment}
          pending={decide.answer !== null}
          onDismiss={() => setDialog(null)}
          onSend={send}
        />
      )}
    </>
  );
}
