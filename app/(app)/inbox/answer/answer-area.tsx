"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { CardFoldsProvider, useCardFolds } from "@/components/text/folds.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import type { Field } from "@/lib/mcp/forms/form.ts";
import type { AnswerInput } from "@/lib/requests/request-input-schema.ts";
import type { Draft, InputRequestDetail } from "@/lib/requests/request-schema.ts";
import type { AnswerValues } from "@/lib/requests/words/answer-values.ts";
import { commentWords } from "@/lib/requests/words/own-questions.ts";
import { commentNeed } from "@/lib/requests/words/vote-words.ts";
import { isRecord } from "@/lib/text/json.ts";
import { useTrouble } from "@/lib/web/client/base/use-connection.ts";
import type { OpenRemark, RemarkField } from "../thread/remarks.tsx";
import type { AnswerDialog } from "./answer-dialogs.tsx";
import { useClaim } from "./assignment/use-claim.ts";
import { DecisionBar } from "./decision/decision-bar.tsx";
import {
  asksToSee,
  asksWhy,
  contentToSend,
  decisionOffer,
  formReadsFirst,
  isGuarded,
  isSame,
  readFirstWords,
} from "./decision/decision-offer.ts";
import { LazyGuardedButton } from "./decision/main-buttons.tsx";
import { useAgreedChange } from "./decision/use-agreed-change.ts";
import { forgetRefused, goOnFrom, useArmed } from "./decision-store.ts";
import { DraftLine, useDraft } from "./draft.tsx";
import { AnswerQuestion, type FieldsProps, FormWords, NoForm } from "./fields/answer-question.tsx";
import type { AnswerForm } from "./fields/use-answer-form.ts";
import { useAnswerKeys } from "./use-answer-keys.ts";
import { useDecide } from "./use-decide.ts";
import { useOpenedSite } from "./use-opened-site.ts";

const warm = { warm: true };
const requestChunk = () => import("../request/request-chunk.ts");
const ClaimLine = lazyComponent(() => requestChunk().then((file) => file.ClaimLine), warm);
const ClaimAlive = lazyComponent(() => requestChunk().then((file) => file.ClaimAlive), warm);
const UrlQuestion = lazyComponent(() => requestChunk().then((file) => file.UrlQuestion), warm);
const SeeFirst = lazyComponent(() => requestChunk().then((file) => file.SeeFirst), warm);
const RestlessQuestion = lazyComponent(() => requestChunk().then((file) => file.RestlessQuestion), warm);
const AnswerCommands = lazyComponent(() => requestChunk().then((file) => file.AnswerCommands), {
  patient: true,
});
/** Without a network this component may not load. Then its plain text must still appear. */
const AnswerErrorNotice = lazyComponent(() => requestChunk().then((file) => file.AnswerErrorNotice), {
  loading: ({ error }) => (
    <p role="alert" className="shrink-0 px-4 pb-3 md:px-8">
      {error.title} {error.detail}
    </p>
  ),
  warm: true,
});
/** While it loads, single-key shortcuts are off: text typed right after D (decline) is meant for the dialog. */
const AnswerDialogs = lazyComponent(() => requestChunk().then((file) => file.AnswerDialogs), {
  loading: DialogLoading,
  warm: true,
});

/** The lazy components required to answer this request. */
export function lazyAnswerParts(request: InputRequestDetail) {
  const open = request.state === "open";
  return [
    request.mode === "url" && UrlQuestion,
    request.fields.kind !== "supported" && NoForm,
    open && request.claimedBy !== null && ClaimLine,
    open && request.rewordedAt !== null && RestlessQuestion,
    open && hasNotices(request) && SeeFirst,
    open && isGuarded(request) && LazyGuardedButton,
  ].filter((each) => !!each);
}

/** Whether the request carries notices that are read, or ticked, before a decision. */
function hasNotices(request: InputRequestDetail): boolean {
  const { change, figures } = asksToSee(request);
  return change || figures || (request.askedAgain && request.rewordedAt === null);
}

export interface AnswerAreaProps {
  /** The question as the screen shows it; it stays while `request` changes. Answers are bound to its hash. */
  question: InputRequestDetail;
  /** The latest state of the request. */
  request: InputRequestDetail;
  /** The server no longer asks the question on the screen. */
  blocked: boolean;
  /** If true, a single key can't decide: the key A only moves the focus. */
  cautious: boolean;
  showQuestion: () => boolean;
  /** Scrolls so that the content at this height of the window is at the top. */
  showFrom: (top: number) => void;
  children: (form: ReactNode, notices: ReactNode, remarks: RemarkField) => ReactNode;
}

/** Keeps free what toasts would cover: no field or button of the request stands below them. */
function ToastRoom() {
  return (
    <div
      aria-hidden
      className="shrink-0"
      style={{ height: "calc(var(--toasts, 0px) - var(--decision-bar, 0px))" }}
    />
  );
}

/** The parts of the form that the rest of the pane uses. */
type Filled = Pick<AnswerForm, "submit" | "refuse" | "watch" | "restore" | "missing"> & {
  /** Leads to a field. */
  goTo: (field: Field) => void;
  /** Resets the form to what others have agreed to, or to the server's suggestions. */
  reset: () => void;
};

/** The form of a request answered by one press: no fields. A draft holds only the comment. */
export const NOTHING_TO_FILL: Filled = {
  missing: () => null,
  goTo: () => {},
  submit: () => {},
  refuse: () => {},
  watch: () => () => {},
  restore: (draft) => draft as AnswerValues,
  reset: () => {},
};

/** The answer area: the fields, the comment, the decision bar, and the keys. */
export function AnswerArea({
  question,
  request,
  blocked,
  cautious,
  showQuestion,
  showFrom,
  children,
  form,
  newest = request.draft,
  fields,
}: AnswerAreaProps & {
  form: Filled;
  /** The latest draft, as the form shows it. */
  newest?: Draft | null;
  /** Null if the request has no fields. */
  fields: ((props: FieldsProps) => ReactNode) | null;
}) {
  const me = useMe();
  const isUrl = question.mode === "url";
  const draft = useDraft(question, newest, form);
  const [siteOpened, setSiteOpened] = useOpenedSite(question);
  const [dialog, setDialog] = useState<AnswerDialog | null>(null);
  const affirmative = useRef<HTMLButtonElement>(null);
  const other = useRef<HTMLButtonElement>(null);
  const decide = useDecide(question);
  const { refused } = decide;
  const error = refused?.error ?? null;
  /** The refusal is about the question on the screen, not about an earlier wording. */
  const isOfThis = refused?.questionHash === question.questionHash;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    if (refused && isOfThis) form.refuse(refused.error.errors);
  }, [refused, isOfThis]);
  const folds = useCardFolds();
  const isUnfolded = folds.opened.length > 0;
  const armed = useArmed(question.id, isUnfolded);
  /** The person pressed the button, and the form showed a field that is not filled in. */
  const [led, setLed] = useState(false);
  const missing = led ? form.missing() : null;
  const told = missing
    ? `Fill in “${missing.title}” first.`
    : isUnfolded
      ? readFirstWords(folds.opened)
      : null;
  const claim = useClaim(request);
  const restless = request.rewordedAt !== null;
  const [agreed, setAgreed] = useState(false);
  const [seen, setSeen] = useState({ change: false, figures: false });
  const need = commentNeed(request.approval);
  const [remark, setRemark] = useState<OpenRemark | null>(null);
  /**
   * The comment field stays open if it has text, if the comment is not optional, or if a comment may take the place
   * of a tick.
   */
  const isCommentOpen = draft.comment !== "" || need !== "optional" || asksToSee(question).figures;
  const discuss = () => setRemark({ for: "discussion", focus: true });
  const offer = decisionOffer({
    question,
    request,
    me,
    trouble: useTrouble(),
    blocked,
    agreed,
    seen,
    explained: draft.explained,
    cautious,
  });
  const { decision, barred, anyReason, acceptReason, asked, unseen, answering } = offer;
  const change = useAgreedChange(question, request);
  const refusedArguments = refused?.decided.content?.arguments;
  /** The answer failed because the question is no longer open. The form stays on screen for reading. */
  const lost = error !== null && request.state !== "open";
  const canDecline = anyReason === null && question.actions.includes("decline");

  const send = (
    answer: Pick<AnswerInput, "action" | "content" | "revise" | "standing">,
    comment = draft.comment,
  ) => {
    if (!armed) return;
    // If this answer was refused because others agreed to something else, pressing again proposes exactly this
    // answer.
    const proposes = refused?.error.code === "content_differs" && isOfThis && isSame(refused.decided, answer);
    // Saves the draft first: an undone answer returns to the form as it is now.
    draft.flush();
    const said = comment.trim();
    const more = {
      ...(said ? { comment: said } : {}),
      ...(agreed ? { anyWording: true } : {}),
      ...(proposes ? { proposes } : {}),
    };
    decide.send({ ...answer, ...more }, draft.typed(comment));
    setDialog(null);
  };
  /** Opens the folded parts and scrolls to them. The decision bar then says what to read. */
  const readOn = () => {
    if (!armed) return;
    const top = folds.reveal();
    if (top !== null) showFrom(top);
  };
  const sendForm = () => {
    if (acceptReason !== null || unseen !== null) return;
    form.submit((filledIn) => {
      const content = contentToSend(question, filledIn);
      if (formReadsFirst(folds.unopened, question, content)) readOn();
      else send({ action: "accept", content });
    });
  };

  /** Folded parts must be read before the call is changed, as before it is approved. */
  function readAndOpen(next: AnswerDialog) {
    if (folds.unopened.length > 0) readOn();
    else setDialog(next);
  }

  const claimStep = offer.claim;
  const offered = {
    decline: offer.declines ? () => setDialog("decline") : null,
    edit: offer.edits ? () => readAndOpen("edit") : null,
    stand: offer.stands ? () => readAndOpen("standing") : null,
    revise: offer.revises ? () => setDialog("revise") : null,
    claim: claimStep ? () => claim.take(claimStep) : null,
    snooze: offer.snoozes ? () => setDialog("snooze") : null,
  };
  useAnswerKeys({
    skip: () => goOnFrom(question.id, "skip"),
    affirmative,
    other,
    onlyFocus: offer.onlyFocus,
    read: isUnfolded,
    showQuestion,
    discuss,
    missing: form.missing,
    onMissing: (field) => {
      setLed(true);
      form.goTo(field);
    },
    ...offered,
  });
  const draftLine = <DraftLine draft={draft} />;
  const isShown = answering || (lost && decision.kind === "form");

  return (
    <>
      <CardFoldsProvider value={folds.card}>
        {children(
          isShown && (
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
              <FormWords form={question.fields} />
              {isUrl ? (
                <UrlQuestion
                  question={question}
                  opened={siteOpened}
                  disabled={blocked}
                  canDecline={canDecline}
                  onOpened={setSiteOpened}
                />
              ) : fields ? (
                fields({
                  disabled: offer.fieldsOff || lost,
                  status: draftLine,
                  // Enter in a field moves the focus to the button, which the person has to hold.
                  onSubmit: question.warnings.includes("destructive")
                    ? () => affirmative.current?.focus()
                    : sendForm,
                  onLeaveField: draft.flush,
                })
              ) : (
                <AnswerQuestion decision={decision} canDecline={canDecline} />
              )}
            </div>
          ),
          request.state === "open" && !blocked && hasNotices(question) && (
            <SeeFirst
              question={question}
              asked={asked}
              seen={seen}
              onSeen={answering && barred === null ? setSeen : null}
            />
          ),
          {
            open: remark ?? (isCommentOpen ? { for: "decision", focus: false } : null),
            onOpen: setRemark,
            comment: isShown
              ? {
                  about: `${need}, ${commentWords(question)}`,
                  value: draft.comment,
                  disabled: barred !== null || lost,
                  onChange: (text) => {
                    draft.setComment(text);
                    // A text that is deleted again leaves the field open.
                    setRemark({ for: "decision", focus: false });
                  },
                  onBlur: draft.flush,
                  // A form shows the state of its draft itself.
                  status: (isUrl || decision.kind !== "form") && draftLine,
                }
              : null,
          },
        )}
      </CardFoldsProvider>
      {/* The error stands beside the bar, where the person looks. It stays when another person's answer has
          removed the form. */}
      {error?.title && (
        <AnswerErrorNotice
          error={error}
          request={request}
          sent={refused?.decided.content ?? {}}
          onTakeTheirs={() => {
            draft.refill();
            forgetRefused(question.id);
          }}
          keptForm={decision.kind === "form"}
        />
      )}
      <ToastRoom />
      {request.state === "open" && (
        <DecisionBar
          request={request}
          question={question}
          decision={decision}
          acceptReason={
            offer.tellsClaim ? (
              <ClaimLine
                request={request}
                onTakeOver={offer.takesOver ? () => claim.take("take-over") : null}
              />
            ) : (
              acceptReason
            )
          }
          disabled={anyReason !== null}
          unseen={unseen}
          unopened={folds.unopened}
          told={change.told ?? told}
          pending={decide.answer}
          armed={armed}
          opened={siteOpened}
          affirmative={affirmative}
          other={other}
          onAccept={(given) => {
            if (change.renew()) return void showQuestion();
            const content = change.contentOf(given);
            asksWhy({ rejection: question.rejection, approval: request.approval }, content, draft.comment)
              ? setDialog("reject")
              : send({ action: "accept", ...(content ? { content } : {}) });
          }}
          onSubmitForm={sendForm}
          onRead={readOn}
          onDialog={(next) => (next === "edit" || next === "standing" ? readAndOpen(next) : setDialog(next))}
          onClaim={claim.take}
        />
      )}
      {claim.claimed && <ClaimAlive request={request} mine={offer.claimedByMe} given={claim.given} />}
      <AnswerCommands
        request={request}
        decision={decision}
        anyReason={anyReason}
        acceptReason={acceptReason}
        unseen={unseen}
        offered={offered}
        onDiscuss={discuss}
        affirmative={affirmative}
        other={other}
        onAssign={() => setDialog("assign")}
      />
      {dialog && (
        <AnswerDialogs
          dialog={dialog}
          request={request}
          comment={draft.comment}
          refusedChange={isOfThis && isRecord(refusedArguments) ? refusedArguments : null}
          pending={decide.answer !== null}
          onDismiss={() => setDialog(null)}
          onSend={send}
        />
      )}
    </>
  );
}
