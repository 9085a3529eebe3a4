"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { AlarmClock, Check, CircleX, TriangleAlert, Users } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock, TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { saysNo } from "@/lib/requests/answers/rejection.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import {
  type Approval,
  comingWords,
  doneWords,
  missingWords,
  needsWords,
  tooFewWords,
  whyWords,
} from "@/lib/requests/words/vote-words.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";

/** Who has to agree, who did, who is missing, and what the reader has to do with it. */
export function VotesStrip({ request, approval }: { request: InputRequestDetail; approval: Approval }) {
  const me = useMe();
  // Why the reader has no vote stands beside the buttons.
  const why = approval.canVote ? whyWords({ ...request, approval }, me.user.id) : null;
  const takesBack =
    approval.mine?.canTakeBack === true &&
    request.task.cancelRequestedAt === null &&
    me.may("requests:answer");
  // Content that says no and is not the form's own no, which all have to agree to.
  const isNo = approval.content !== null && saysNo(request.fields, "accept", approval.content);
  return (
    <section aria-label="Votes" className="flex flex-col gap-1.5 text-[13px] text-muted">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="wait" icon={Users}>
          <PlainText text={needsWords(approval.stages)} />
        </Badge>
        <span>
          Rule “<PlainText text={approval.rule} />” (policy version {approval.version}).
        </span>
        {request.state === "open" && approval.dueAt && <Due at={approval.dueAt} />}
        {approval.failed.length > 0 && (
          <span className="text-bad">
            Intray could not check the rule “
            <PlainText text={approval.failed.map(({ rule }) => rule).join("”, “")} />” for this request, so
            the people of this rule have to agree too.
          </span>
        )}
      </p>
      {approval.stages.flatMap((stage) => {
        const words = tooFewWords(stage);
        return words === null
          ? []
          : [
              <p key={stage.name} className="flex items-start gap-1.5 text-bad">
                <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" strokeWidth={2} />
                <PlainText text={words} />
              </p>,
            ];
      })}
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {approval.stages.flatMap((stage) => [
          ...stage.votes.map(({ by, person, onBehalfOf, agrees, revise, at }) => (
            <li key={`${stage.name} ${person}`} className="flex items-center gap-1">
              {agrees && !isNo ? (
                <Check aria-hidden className="size-3.5 text-good" strokeWidth={2} />
              ) : (
                <CircleX aria-hidden className="size-3.5 text-bad" strokeWidth={2} />
              )}
              <span>
                <span className="text-ink">
                  <PlainText
                    text={`${actorWords(by, { begins: true })}${onBehalfOf ? ` for ${onBehalfOf.name}` : ""}`}
                  />
                </span>{" "}
                {agrees ? (isNo ? "answered with a no" : "agreed") : revise ? "asked to revise" : "rejected"}{" "}
                <TimeAgo at={at} />
              </span>
            </li>
          )),
          ...(request.state === "open" && stage.state !== "done"
            ? [
                <li key={`${stage.name} missing`}>
                  <PlainText text={missingWords(stage, request.voters, me.user.id) ?? ""} />
                </li>,
              ]
            : []),
        ])}
        {approval.away
          .filter(({ id }) => id !== approval.votesFor?.id)
          .map(({ id, name, until }) => (
            <li key={id}>
              <PlainText text={name} /> is away until <Clock at={until} />
            </li>
          ))}
      </ul>
      <Times request={request} approval={approval} />
      {(why || takesBack) && (
        <p className="flex flex-wrap items-center gap-x-2">
          {approval.votesFor ? (
            <span>
              You vote for <PlainText text={approval.votesFor.name} />, who is away until{" "}
              <Clock at={approval.votesFor.until} />.
            </span>
          ) : (
            why && <PlainText text={why} />
          )}
          {takesBack && <TakeBack inputRequestId={request.id} />}
        </p>
      )}
    </section>
  );
}

function Due({ at }: { at: string }) {
  const isOver = useNow(1_000) >= Date.parse(at);
  return isOver ? (
    <span className="flex items-center gap-1">
      <Badge tone="bad" icon={AlarmClock}>
        Overdue
      </Badge>
      <span>
        Was due <TimeAgo at={at} />.
      </span>
    </span>
  ) : (
    <span>
      Due in <TimeUntil at={at} over="0 s" />.
    </span>
  );
}

/** What timers of the rule did, and what they do next. */
function Times({ request, approval }: { request: InputRequestDetail; approval: Approval }) {
  const done = approval.stages.flatMap(doneWords);
  const coming = request.state === "open" ? comingWords(approval) : [];
  if (done.length + coming.length === 0 && !approval.lapsedAt) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1">
      {done.map(({ at, words }) => (
        <li key={`${at} ${words}`}>
          <PlainText text={words} /> <TimeAgo at={at} />
        </li>
      ))}
      {coming.map(({ at, words }) => (
        <li key={words}>
          {words} <TimeUntil at={at} over="a moment" />
        </li>
      ))}
      {approval.lapsedAt && (
        <li className="text-bad">
          Not decided in time <TimeAgo at={approval.lapsedAt} />
          {request.state === "open" && ": nobody is reminded any more. It can still be answered."}
        </li>
      )}
    </ul>
  );
}

function TakeBack({ inputRequestId }: { inputRequestId: string }) {
  const client = useQueryClient();
  const back = useMutation({
    mutationFn: () => api.delete<InputRequestDetail>(`/api/v1/input-requests/${inputRequestId}/vote`),
    onSuccess: (request) => client.setQueryData(requestDetail(inputRequestId).queryKey, request),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: requestKeys.detail(inputRequestId) });
      void client.invalidateQueries({ queryKey: requestKeys.lists });
    },
  });
  return (
    <>
      <Button aria-disabled={back.isPending || undefined} onClick={() => !back.isPending && back.mutate()}>
        Take my vote back
      </Button>
      {back.error && (
        <span role="alert" className="text-bad">
          {errorSentence(back.error)}
        </span>
      )}
    </>
  );
}
