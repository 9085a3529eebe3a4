"use client";

import { useQuery } from "@tanstack/react-query";
import { PlainText } from "@/components/text/plain-text.tsx";
import { WordDiff } from "@/components/text/word-diff.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { requestsOfTask } from "@/lib/api-client/base/request-context.ts";
import { decidedWord } from "@/lib/input-requests/decision.ts";
import type { InputRequestDetail, InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { findMoney, sayMoney } from "@/lib/text/money.ts";
import { diffFields } from "@/lib/text/schema-diff.ts";

type Question = { message: string; schema: unknown; url: string | null };

/**
 * The server changed the question while the form was open: the form stays until the person asks for the new
 * one.
 */
export function QuestionChanged({
  before,
  after,
  onShow,
}: {
  before: Question;
  after: InputRequestDetail;
  onShow: () => void;
}) {
  return (
    <Notice
      live
      tone="wait"
      title="The question has changed. Nothing was sent."
      action={
        <Button size="sm" onClick={onShow}>
          Show the new question
        </Button>
      }
    >
      <Difference before={before} after={after} />
    </Notice>
  );
}

/**
 * The server keeps changing the wording: the question on screen stays, and the person agrees that the answer
 * may arrive at another wording.
 */
export function RestlessQuestion({
  question,
  request,
  agreed,
  disabled,
  onAgree,
}: {
  /** The question on the screen. */
  question: InputRequestDetail;
  /** The request as last read. */
  request: InputRequestDetail;
  agreed: boolean;
  disabled: boolean;
  onAgree: (agreed: boolean) => void;
}) {
  const changed = question.questionHash !== request.questionHash;
  const before = changed ? question : question.previous;
  return (
    <Notice tone="wait" title={`${request.server.name} keeps changing this question.`}>
      <p>
        It read like this {request.rewordedAt && <TimeAgo at={request.rewordedAt} />}. It may say something
        else when your answer arrives.
      </p>
      {before && (
        <Details words={changed ? "What has changed since you opened it" : "What changed last"}>
          <Difference before={before} after={request} />
        </Details>
      )}
      <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-(--accent)"
          checked={agreed}
          disabled={disabled}
          onChange={(event) => onAgree(event.target.checked)}
        />
        <span>Send my answer whatever the wording is by then</span>
      </label>
    </Notice>
  );
}

/** Says that a question was asked before, in the same or other words, with the earlier answer. */
export function AskedBefore({ request }: { request: InputRequestDetail }) {
  const all = useQuery(requestsOfTask(request.taskId));
  if (!request.previous && !request.askedAgain) return null;
  const earlier = (all.data?.items ?? []).filter(
    (each) => each.id !== request.id && each.createdAt <= request.createdAt,
  );
  if (request.previous) {
    const { message } = request.previous;
    const then = earlier.findLast((each) => each.message === message);
    return (
      <Notice tone="wait" title="The server asked something else before. Please decide on this one anew.">
        <Then request={then} />
        <Details words="Show what is different">
          <Difference before={request.previous} after={request} />
        </Details>
      </Notice>
    );
  }
  const then = earlier.findLast((each) => each.questionHash === request.questionHash && each.answer);
  return (
    <Notice tone="wait" title="The same question, asked again after your organization’s answer.">
      <Then request={then} />
      <p>The server took that answer and then asked once more. Answer only if it should count again.</p>
    </Notice>
  );
}

/** The answer to the previous question. */
function Then({ request }: { request: InputRequestSummary | undefined }) {
  const answer = request?.answer;
  if (!answer) return null;
  return (
    <p>
      {decidedWord(answer.action, answer.content)} then by {answer.by.name} <Day at={answer.at} />
      {answer.comment && (
        <>
          : “<PlainText text={answer.comment} />”
        </>
      )}
      .
    </p>
  );
}

function Details({ words, children }: { words: string; children: React.ReactNode }) {
  return (
    <details open>
      <summary className="w-fit rounded-sm font-medium marker:text-muted max-md:-my-3 max-md:py-3">
        {words}
      </summary>
      <div className="flex flex-col gap-1.5 pt-1.5">{children}</div>
    </details>
  );
}

function Difference({ before, after }: { before: Question; after: Question }) {
  const amounts = [before, after].map(({ message }) => findMoney(message).map(sayMoney).join(", "));
  // The diff below shows a long list of amounts better.
  const few = amounts.every((each) => each.length < 80);
  return (
    <>
      {few && amounts[0] !== amounts[1] && (
        <p className="font-medium tabular-nums">
          Amount: {amounts[0] || "none"} → {amounts[1] || "none"}
        </p>
      )}
      <WordDiff before={before.message} after={after.message} />
      {before.url !== after.url && <p>The address to open is another one.</p>}
      {diffFields(before.schema, after.schema).map((line) => (
        <p key={line}>
          <PlainText text={line} />
        </p>
      ))}
    </>
  );
}
