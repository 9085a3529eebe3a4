"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { WordDiff } from "@/components/text/word-diff.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { MESSAGE_IN_LISTS } from "@/lib/requests/limits.ts";
import type { InputRequestDetail, InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { shortTexts } from "@/lib/text/foreign/short-texts.ts";
import { areAlike, changedFacts } from "@/lib/text/question-changes.ts";
import { diffFields } from "@/lib/text/schema-diff.ts";
import { requestsOfTask } from "@/lib/web/client/request-context.ts";

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
        Last changed {request.rewordedAt && <TimeAgo at={request.rewordedAt} />}. It may change again before
        your answer arrives.
      </p>
      {before && (
        <>
          <p className="font-medium">{changed ? "What changed since you opened it" : "What changed last"}</p>
          <Difference before={before} after={request} />
        </>
      )}
      <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-(--accent)"
          checked={agreed}
          disabled={disabled}
          onChange={(event) => onAgree(event.target.checked)}
        />
        <span>Send my answer even if the server changes the text</span>
      </label>
    </Notice>
  );
}

/** Says that a question was asked before, in the same or other words, with the earlier answer. */
export function AskedBefore({ request, children }: { request: InputRequestDetail; children: ReactNode }) {
  const all = useQuery(requestsOfTask(request.taskId));
  // RestlessQuestion says so itself when the wording keeps changing.
  if (request.rewordedAt !== null || (!request.previous && !request.askedAgain)) return null;
  const earlier = (all.data?.items ?? []).filter(
    (each) => each.id !== request.id && each.createdAt <= request.createdAt,
  );
  if (request.previous) {
    const { message } = request.previous;
    const then = earlier.findLast((each) => each.message === shortTexts(message, MESSAGE_IN_LISTS));
    return (
      <Notice tone="wait" title="This request changed. Review it again">
        <Then request={then} />
        <Difference before={request.previous} after={request} />
        {children}
      </Notice>
    );
  }
  const then = earlier.findLast((each) => each.questionHash === request.questionHash && each.answer);
  return (
    <Notice tone="wait" title="Already answered, and asked again">
      <Then request={then} />
      <p>
        The server took that answer, and then asked the same question again. Answer only if it should happen
        twice.
      </p>
    </Notice>
  );
}

/** The answer to the previous question. */
function Then({ request }: { request: InputRequestSummary | undefined }) {
  const answer = request?.answer;
  if (!answer) return null;
  return (
    <p>
      {answer.words} by {actorWords(answer.by)} <Day at={answer.at} />
      {answer.comment && (
        <>
          : “<PlainText text={answer.comment} />”
        </>
      )}
      .
    </p>
  );
}

/** What matters comes first, fact by fact; then the fields of the form, then the words. */
function Difference({
  before,
  after,
}: {
  before: Question;
  after: Question & Pick<InputRequestDetail, "arguments">;
}) {
  const facts = changedFacts(before.message, after.message, after.arguments, useFormats());
  return (
    <>
      {facts.length > 0 && (
        <dl className="grid w-fit grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 font-medium tabular-nums">
          {facts.map((fact) => (
            <div key={fact.label + fact.before} className="col-span-2 grid grid-cols-subgrid">
              <dt className="font-normal text-muted">
                <PlainText text={fact.label} />
              </dt>
              <dd className="wrap-anywhere">
                <PlainText text={fact.before ?? "not mentioned"} /> →{" "}
                <PlainText text={fact.after ?? "not mentioned"} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {before.url !== after.url && <p>The address to open has changed.</p>}
      {diffFields(before.schema, after.schema).map((line) => (
        <p key={line}>
          <PlainText text={line} />
        </p>
      ))}
      {before.message !== after.message && <Wording before={before.message} after={after.message} />}
    </>
  );
}

/** The difference word by word of texts that are alike, else the earlier text. Folded beyond three lines. */
function Wording({ before, after }: { before: string; after: string }) {
  const [open, setOpen] = useState(false);
  const alike = areAlike(before, after);
  const text = alike ? before + after : before;
  const long = text.length > 360 || text.split("\n").length > 3;
  return (
    <div className="flex flex-col items-start gap-1.5">
      <div className={cn("wrap-anywhere", long && !open && "line-clamp-3")}>
        {alike ? (
          <WordDiff before={before} after={after} />
        ) : (
          <p className="whitespace-pre-wrap">
            Before: “<PlainText text={before} />”
          </p>
        )}
      </div>
      {long && (
        <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : alike ? "Show every change" : "Show all"}
        </Button>
      )}
    </div>
  );
}
