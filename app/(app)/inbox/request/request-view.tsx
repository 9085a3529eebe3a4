"use client";

import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Facts, JsonTree } from "@/components/facts/facts.tsx";
import { Timeline, TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { decisionOn } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import type { SimilarRequests } from "@/lib/requests/similar/similar-schema.ts";
import { agreedChange } from "@/lib/requests/words/changed-calls.ts";
import { factsOf, isInDetails, nextWords, programCallOf } from "@/lib/requests/words/own-questions.ts";
import { nextVoteWords } from "@/lib/requests/words/vote-words.ts";
import { describeFacts } from "@/lib/text/facts/facts.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";
import { requestsOfTask } from "@/lib/web/client/request-context.ts";
import { taskEvents } from "@/lib/web/client/tasks/task-history.ts";
import {
  AnswerArea,
  type AnswerAreaProps,
  lazyAnswerParts,
  NOTHING_TO_FILL,
} from "../answer/answer-area.tsx";
import { lazyHeaderParts, RequestHeader } from "./request-header.tsx";
import { RequestSection } from "./request-section.tsx";

// Lazy, because few requests show these, and the first of a list seldom does.
const warm = { warm: true };
const requestChunk = () => import("./request-chunk.ts");
const FormAnswerArea = lazyComponent(
  () => import("../answer/form-answer-area.tsx").then((file) => file.FormAnswerArea),
  warm,
);
const RequestClosed = lazyComponent(() => requestChunk().then((file) => file.RequestClosed), warm);
const AgentFetch = lazyComponent(() => requestChunk().then((file) => file.AgentFetch), warm);
const RequestTrouble = lazyComponent(() => requestChunk().then((file) => file.RequestTrouble), warm);
const QuestionChanged = lazyComponent(() => requestChunk().then((file) => file.QuestionChanged), warm);
const AssignmentNote = lazyComponent(() => requestChunk().then((file) => file.AssignmentNote), warm);
const Documents = lazyComponent(() => requestChunk().then((file) => file.Documents), warm);
const VotesStrip = lazyComponent(() => requestChunk().then((file) => file.VotesStrip), warm);
const GateStrip = lazyComponent(() => requestChunk().then((file) => file.GateStrip), warm);
const AgreedChange = lazyComponent(() => requestChunk().then((file) => file.AgreedChange), warm);
const Revisions = lazyComponent(() => requestChunk().then((file) => file.Revisions), warm);
const PartyStrip = lazyComponent(() => requestChunk().then((file) => file.PartyStrip), warm);
const ProgramsCall = lazyComponent(() => requestChunk().then((file) => file.ProgramsCall), warm);
const TalkStrip = lazyComponent(() => requestChunk().then((file) => file.TalkStrip), warm);
/** Below the answer, so that it may come late. */
const Thread = lazyComponent(() => import("../thread/thread.tsx").then((file) => file.Thread), warm);
const loadContext = () => import("./request-context.tsx");
const RepeatNotice = lazyComponent(() => loadContext().then((file) => file.RepeatNotice), warm);
const DecidedBefore = lazyComponent(() => loadContext().then((file) => file.DecidedBefore), warm);
const OtherQuestions = lazyComponent(() => loadContext().then((file) => file.OtherQuestions), warm);
/** Visible only after scrolling. */
const StickySummary = lazyComponent(() => requestChunk().then((file) => file.StickySummary), {
  patient: true,
});

/**
 * The lazy components required to show this request as a whole: a late one would move the button about to be
 * pressed.
 */
export function lazyRequestParts(
  request: InputRequestDetail,
  similar: SimilarRequests | null,
  formats: Formats,
) {
  const open = request.state === "open";
  const call = programCallOf(request);
  return [
    isForm(request) && FormAnswerArea,
    !open && RequestClosed,
    call && ProgramsCall,
    [factsOf(request), request.details ?? {}, call?.input ?? {}, agreedChange(request) ?? {}].some((facts) =>
      describeFacts(facts, formats).some((block) => block.kind === "json"),
    ) && JsonTree,
    needsServer(request) && RequestTrouble,
    request.assignment?.note && AssignmentNote,
    open && similar?.repeats && RepeatNotice,
    similar && similar.items.length > 0 && DecidedBefore,
    hasDocuments(request) && Documents,
    request.gate && GateStrip,
    request.revisions.length > 0 && Revisions,
    request.approval && VotesStrip,
    agreedChange(request) && AgreedChange,
    isTalkedOf(request) && TalkStrip,
    similar?.party && PartyStrip,
    ...lazyHeaderParts(request),
    ...lazyAnswerParts(request),
  ].filter((each) => !!each);
}

/**
 * One request. The question on screen is pinned when it opens: the text and the form never change under the
 * person. State, claim and delivery follow the server.
 */
export function RequestView({
  request,
  similar,
}: {
  request: InputRequestDetail;
  /** Null if the read failed: nothing depends on it. */
  similar: SimilarRequests | null;
}) {
  const [question, setQuestion] = useState(request);
  const asked = useQuery(requestsOfTask(request.taskId));
  const others = asked.data?.items.filter((each) => each.id !== request.id) ?? [];
  const scroller = useRef<HTMLDivElement>(null);
  // If the wording keeps changing, the one on screen can be answered.
  const changed = request.questionHash !== question.questionHash && request.rewordedAt === null;
  const open = request.state === "open";
  const facts = factsOf(question);
  const call = programCallOf(question);
  const isDocumentsAlone = Object.keys(facts).length === 0 && Object.keys(question.arguments).length > 0;
  const isToldTwice = !question.gate && !question.previous && isInDetails(facts, question.details);

  /** Scrolls the question into view. Returns whether it was in view already. */
  const showQuestion = () => {
    const seen = (scroller.current?.scrollTop ?? 0) < 40;
    if (!seen) scroller.current?.scrollTo({ top: 0 });
    return seen;
  };
  const showFrom = (top: number) => {
    const box = scroller.current?.getBoundingClientRect();
    if (box) scroller.current?.scrollBy({ top: top - box.top - box.height / 4 });
  };

  return (
    <Answer
      // A new question is a new form; a background refetch is not.
      key={question.questionHash}
      question={question}
      request={request}
      blocked={changed}
      cautious={question.destructive === true || question.warnings.includes("destructive")}
      showQuestion={showQuestion}
      showFrom={showFrom}
    >
      {(form, notices, remarks) => (
        <div ref={scroller} className="scroll-quiet @container relative min-h-0 flex-1">
          <StickySummary request={request} scroller={scroller} />
          <div className="flex flex-col gap-6 px-4 py-5 md:px-8 md:py-6">
            <RequestHeader request={request} message={question.message} />
            {request.assignment?.note && <AssignmentNote request={request} />}
            {request.gate && <GateStrip request={request} />}
            {request.revisions.length > 0 && <Revisions request={request} />}
            {request.approval && <VotesStrip request={request} approval={request.approval} />}
            {agreedChange(request) && <AgreedChange request={request} />}
            {isTalkedOf(request) && <TalkStrip request={request} />}
            {similar?.party && <PartyStrip party={similar.party} tool={request.tool} />}
            {changed && (
              <QuestionChanged before={question} after={request} onShow={() => setQuestion(request)} />
            )}
            {needsServer(request) && <RequestTrouble request={request} />}
            {notices}
            {open && similar?.repeats && <RepeatNotice repeats={similar.repeats} />}
            <div className="grid @3xl:grid-cols-[minmax(0,1fr)_256px] gap-x-9 gap-y-7">
              <div className="flex min-w-0 flex-col gap-6">
                {!open && <RequestClosed request={request} />}
                {question.details && (
                  <section className="flex flex-col gap-2.5" aria-labelledby="details-heading">
                    <h3 id="details-heading" className="font-medium text-[13px] text-muted">
                      Details from {question.server.name}
                    </h3>
                    <Facts values={question.details} message={question.message} />
                  </section>
                )}
                {call && <ProgramsCall request={question} call={call} />}
                {!isDocumentsAlone && !isToldTwice && (
                  <section className="flex flex-col gap-2.5" aria-labelledby="facts-heading">
                    <h3 id="facts-heading" className="font-medium text-[13px] text-muted">
                      {question.previous
                        ? "Details of the original call"
                        : question.gate
                          ? "The call"
                          : question.details
                            ? "Started with"
                            : "Details"}
                    </h3>
                    <Facts values={facts} message={question.message} />
                  </section>
                )}
                {hasDocuments(request) && <Documents request={request} />}
                {form}
                <Thread request={request} remarks={remarks} />
              </div>
              <aside aria-label="Background" className="flex min-w-0 flex-col gap-7 max-md:gap-0">
                <Activity request={request} />
                {others.length > 0 && <OtherQuestions others={others} />}
                {similar && similar.items.length > 0 && <DecidedBefore similar={similar} />}
              </aside>
            </div>
          </div>
        </div>
      )}
    </Answer>
  );
}

function Answer(props: AnswerAreaProps) {
  if (isForm(props.question)) return <FormAnswerArea {...props} />;
  return <AnswerArea {...props} form={NOTHING_TO_FILL} fields={null} />;
}

function Activity({ request }: { request: InputRequestDetail }) {
  const events = useQuery(taskEvents(request.taskId));
  return (
    <RequestSection title="Activity">
      {events.data ? (
        <Timeline
          events={events.data.items}
          {...(request.state === "open" && {
            next: (request.approval && nextVoteWords(request.approval)) ?? nextWords(request),
          })}
          first={request.state === "settled" && <AgentFetch request={request} />}
        />
      ) : (
        <TimelineSkeleton />
      )}
      <Link
        href={`/tasks/${request.taskId}`}
        className="w-fit font-medium text-[13px] text-accent underline-offset-4 hover:underline max-md:py-2.5"
      >
        View task
      </Link>
    </RequestSection>
  );
}

function hasDocuments({ documents }: InputRequestDetail): boolean {
  return documents.items.length > 0 || documents.mayHaveMore;
}

/** It waits for its requester, or the reader has put it off. */
function isTalkedOf({ needsInfo, snoozedUntil }: InputRequestDetail): boolean {
  return needsInfo !== null || snoozedUntil !== null;
}

function isForm(request: InputRequestDetail): boolean {
  return decisionOn(request).kind === "form";
}

/** The answer waits, or would wait, for a sign-in at the server or for the end of a pause. */
function needsServer({ connectionState, server, state, origin }: InputRequestDetail): boolean {
  if (origin === "intray") return false;
  return (connectionState !== "connected" || !!server.pause) && (state === "open" || state === "answered");
}
