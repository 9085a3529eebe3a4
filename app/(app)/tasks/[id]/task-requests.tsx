"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock, TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { reachIn } from "@/lib/requests/deliveries/reach.ts";
import type { DeliveryState, InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { needsNoSending, receivedWords } from "@/lib/requests/words/delivery.ts";
import { requestLabel, requestTone } from "@/lib/requests/words/request-labels.ts";
import { uncapitalise } from "@/lib/text/labels.ts";
import { taskRequests } from "@/lib/web/client/tasks/task-history.ts";

/** All requests of the task: state, decision, author, and delivery of the answer. */
export function TaskRequests({ id }: { id: string }) {
  const requests = useInfiniteQuery(taskRequests(id));
  if (!requests.data)
    return (
      <Unread what="The requests" query={requests}>
        <TimelineSkeleton />
      </Unread>
    );
  const items = requests.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="text-muted">No requests yet</p>;
  return (
    <>
      <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
        {items.map((request) => (
          <Row key={request.id} request={request} />
        ))}
      </ul>
      <LoadMore query={requests} />
    </>
  );
}

function Row({ request }: { request: InputRequestSummary }) {
  return (
    <li>
      <Link
        href={`/inbox/${request.id}`}
        className="flex min-h-11 items-center gap-3 px-3.5 py-2.5 hover:bg-sunken focus-visible:-outline-offset-2"
      >
        <span className="flex min-w-0 flex-1 flex-col gap-1">
          <span className="flex items-start gap-x-3 gap-y-1 max-md:flex-col">
            <span className="line-clamp-2 min-w-0 flex-1">
              <PlainText text={request.message} />
            </span>
            <Badge tone={requestTone(request)}>{requestLabel(request)}</Badge>
          </span>
          <span className="text-[13px] text-muted">
            <Facts request={request} />
          </span>
        </span>
        <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" strokeWidth={1.75} />
      </Link>
    </li>
  );
}

function Facts({ request }: { request: InputRequestSummary }) {
  const { answer, delivery, claimedBy, assignedTo, state } = request;
  const moved = delivery?.confirmedAt ?? delivery?.acceptedAt;
  return (
    <>
      asked <TimeAgo at={request.createdAt} />
      {state === "open" && assignedTo && ` · assigned to ${assignedTo.name}`}
      {state === "open" && claimedBy && ` · claimed by ${claimedBy.name}`}
      {state === "open" && request.expiresAt && (
        <>
          {" · "}
          <TimeUntil at={request.expiresAt} over="no time" /> left
        </>
      )}
      {answer && (
        <>
          {` · ${uncapitalise(answer.words)} by ${actorWords(answer.by)} `}
          <Clock at={answer.at} />
        </>
      )}
      {delivery && (
        <>
          {` · ${deliveryWords(request, delivery)} `}
          {moved && <Clock at={moved} />}
        </>
      )}
    </>
  );
}

function deliveryWords(
  request: InputRequestSummary,
  delivery: NonNullable<InputRequestSummary["delivery"]>,
): string {
  const { state, flagged, waitingSince, waitingFor, acceptedAt } = delivery;
  if (flagged) return "the server took it and keeps asking";
  if (state === "pending" && waitingFor === "fetch") return "waits for the server to fetch it";
  if (state === "pending" && waitingSince) return "waits for the server to ask again";
  if (needsNoSending(delivery)) return receivedWords(request);
  if (state === "confirmed" && !acceptedAt)
    return "the task continued, but the server did not reply to the answer";
  if (state === "failed" && reachIn(delivery) === "unknown") return "unknown whether the server got it";
  if (state === "failed" && reachIn(delivery) === "taken") return "the server had it";
  return DELIVERY_WORDS[state];
}

const DELIVERY_WORDS: Record<DeliveryState, string> = {
  held: "waiting, so that it can be undone",
  pending: "about to be sent",
  sending: "being sent",
  accepted: "the server has it",
  confirmed: "the task moved on",
  undone: "taken back",
  failed: "not delivered",
};
