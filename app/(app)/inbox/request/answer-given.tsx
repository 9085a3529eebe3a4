"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Check, Circle, LoaderCircle, X } from "lucide-react";
import { CellText } from "@/components/facts/cell-text.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Age, Clock, TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Dot, Line, NextDot } from "@/components/timeline/timeline.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { cellsBeside } from "@/lib/requests/words/answer-values.ts";
import {
  answerFetchedAt,
  awaitsAgent,
  deliveryMeaning,
  hasVanished,
  needsNoSending,
  receivedWords,
} from "@/lib/requests/words/delivery.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { mayUndo } from "../answer/answer-blockers.ts";
import { useUndo } from "../answer/use-undo.ts";
import { REQUEST_ICONS } from "../state-icons.ts";
import { ApprovedChange } from "./changed-call.tsx";

/** The decision, its author, and the delivery of the answer. */
export function AnswerGiven({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const answer = request.answer;
  if (!answer) return null;
  const Icon = REQUEST_ICONS[request.state];
  const meaning = deliveryMeaning({ ...request, mayUndo: mayUndo(request, me) });
  return (
    <section
      aria-label="The answer"
      className="flex flex-col gap-3.5 rounded-lg border border-line bg-bg p-4"
    >
      <div className="flex flex-col gap-1">
        <p className="flex items-center gap-2 font-medium">
          <Icon aria-hidden className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
          <span>
            {answer.words} by {actorWords(answer.by)}
            <span className="font-normal text-muted">
              {" "}
              · <TimeAgo at={answer.at} />
            </span>
          </span>
        </p>
        {meaning && <p className="pl-6 text-[13px] text-muted">{meaning}</p>}
      </div>
      <GivenFields request={request} />
      <ApprovedChange request={request} />
      {answer.comment && (
        <blockquote className="whitespace-pre-line border-line border-l-2 pl-3 text-muted">
          <PlainText text={answer.comment} />
        </blockquote>
      )}
      <DeliverySteps request={request} />
      <Stuck request={request} />
    </section>
  );
}

/** What became of the answer to an agent, which is no event of the task: a line of the timeline. */
export function AgentFetch({ request }: { request: InputRequestDetail }) {
  const at = answerFetchedAt(request);
  const words = receivedWords(request);
  if (at === null && !awaitsAgent(request)) return null;
  return (
    <li className="group relative flex gap-3 pb-2.5">
      <Line />
      {at === null ? <NextDot /> : <Dot tone="accent" />}
      <p className="min-w-0 flex-1 text-[13px] text-muted">
        {at === null ? `Next: ${words}` : capitalise(words)}
      </p>
      {at !== null && <Age at={at} className="shrink-0 text-muted text-xs leading-5" />}
    </li>
  );
}

/** The form's values, under the form's titles; nothing for one-press decisions whose words say enough. */
function GivenFields({ request }: { request: InputRequestDetail }) {
  const formats = useFormats();
  const cells = cellsBeside(request, request.answer, formats);
  if (cells.length === 0) return null;
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-1 text-[13px]">
      {cells.map(({ name, title, cell }) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{title}</dt>
          <dd className="whitespace-pre-wrap">
            <CellText cell={cell} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Progress = "done" | "now" | "later" | "failed";

/**
 * Recorded → Sending → Accepted by server → Task moved on, each with its time. A step is ticked only once
 * confirmed.
 */
function DeliverySteps({ request }: { request: InputRequestDetail }) {
  const undo = useUndo();
  const me = useMe();
  const { answer, delivery } = request;
  if (!answer || !delivery) return null;
  const failed = delivery.state === "failed" || request.state === "undeliverable";
  const held = delivery.state === "held";
  const reached = delivery.confirmedAt ? 4 : delivery.acceptedAt ? 3 : delivery.sentAt ? 2 : 1;
  const progress = (step: number): Progress => {
    // The task moved on, although the reply to the attempt never arrived.
    if (step === 3 && delivery.confirmedAt && !delivery.acceptedAt) return "later";
    if (step <= reached && !(step === 2 && !delivery.acceptedAt && !delivery.confirmedAt)) return "done";
    if (failed) return step === (delivery.acceptedAt ? 4 : 2) ? "failed" : "later";
    return !held && step === (delivery.acceptedAt ? 4 : 2) ? "now" : "later";
  };
  if (needsNoSending(delivery)) {
    const isAwaited = awaitsAgent(request);
    return (
      <ol aria-label="Delivery" aria-live="polite" className="flex flex-col gap-2">
        <Step progress="done" name="Recorded" at={answer.at} />
        <Step
          progress={isAwaited ? "later" : "done"}
          name={capitalise(receivedWords(request))}
          at={isAwaited ? null : (answerFetchedAt(request) ?? delivery.confirmedAt)}
        />
      </ol>
    );
  }
  return (
    <ol aria-label="Delivery" aria-live="polite" className="flex flex-col gap-2">
      <Step progress="done" name="Recorded" at={answer.at} />
      <Step
        progress={progress(2)}
        name={sendingWord(delivery, progress(2))}
        at={delivery.sentAt ?? delivery.waitingSince}
      >
        {held && (
          <span className="flex items-center gap-2">
            <span className="text-muted">
              in <TimeUntil at={delivery.deliverAfter} over="a moment" />
            </span>
            {mayUndo(request, me) && (
              <Button size="sm" onClick={() => void undo(request.id)}>
                Undo <Kbd>Z</Kbd>
              </Button>
            )}
          </span>
        )}
      </Step>
      <Step
        progress={progress(3)}
        name={delivery.confirmedAt && !delivery.acceptedAt ? "Server’s reply lost" : "Accepted by server"}
        at={delivery.acceptedAt}
      />
      <Step
        progress={progress(4)}
        name={delivery.confirmedAt && hasVanished(request.task.state) ? "Task ended" : "Task moved on"}
        at={delivery.confirmedAt}
      />
    </ol>
  );
}

function sendingWord(
  { attempts, inDoubt, waitingSince, waitingFor }: NonNullable<InputRequestDetail["delivery"]>,
  progress: Progress,
): string {
  if (progress === "done") return "Sent";
  if (progress === "failed") {
    if (inDoubt) return "Sent, but no reply arrived";
    return attempts === 0 ? "Not sent" : "Sending failed";
  }
  if (waitingFor === "fetch" && progress === "now") return "Waiting for the server to fetch it";
  if (waitingSince && progress === "now") return "Waiting for the server to ask again";
  return attempts > 1 ? `Sending, attempt ${attempts}` : "Sending";
}

const SAID = { done: ", done", now: ", under way", later: "", failed: ", failed" };
const ICONS = { done: Check, now: LoaderCircle, later: Circle, failed: X };

function Step({
  progress,
  name,
  at,
  children,
}: {
  progress: Progress;
  name: string;
  at: string | null;
  children?: React.ReactNode;
}) {
  const Icon = ICONS[progress];
  return (
    <li className={cn("flex min-h-6 items-center gap-2.5", progress === "later" && "text-muted")}>
      <Icon
        aria-hidden
        strokeWidth={2}
        className={cn(
          "size-4 shrink-0",
          progress === "done" && "text-accent",
          progress === "now" && "animate-[turn_1.6s_linear_infinite] text-muted",
          progress === "later" && "text-edge",
          progress === "failed" && "text-bad",
        )}
      />
      <span>
        {name}
        <span className="sr-only">{SAID[progress]}</span>
      </span>
      {children}
      {at && <Clock at={at} className="ml-auto shrink-0 text-muted text-xs" />}
    </li>
  );
}

/** The server accepted the answer but keeps asking: an operator may send the same answer again. */
function Stuck({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const client = useQueryClient();
  const delivery = request.delivery;
  if (!delivery?.flagged) return null;
  const resend = async () => {
    try {
      await api.post(`/api/v1/input-requests/${request.id}/resend`);
      toast("Sending the same answer again");
    } catch (error) {
      toast.error(errorSentence(error));
    }
    void client.invalidateQueries({ queryKey: requestKeys.detail(request.id) });
  };
  return (
    <Notice
      live
      tone="wait"
      title="The server took the answer but keeps asking the same question."
      action={
        me.may("requests:resend") ? (
          <Button size="sm" onClick={() => void resend()}>
            Send the same answer again
          </Button>
        ) : undefined
      }
    >
      {delivery.error && (
        <p>
          <PlainText text={delivery.error} />
        </p>
      )}
      {!me.may("requests:resend") && <p>An operator can send the same answer again.</p>}
    </Notice>
  );
}
