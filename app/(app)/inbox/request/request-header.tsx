"use client";

import { ChevronRight, Clock3, Link2, MoreHorizontal, Server, UserRound } from "lucide-react";
import { WhySeen } from "@/components/request/why-seen.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { useTimeLeft, WaitingBadge } from "@/components/time/time-left.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { waitsFor } from "@/lib/requests/request-status.ts";
import { repeatsRequest } from "@/lib/requests/words/request-labels.ts";
import { isPressing, timeLimitReason } from "@/lib/requests/words/time-left.ts";
import { isLive } from "@/lib/tasks/words/state-labels.ts";
import { shorten } from "@/lib/text/labels.ts";
import { RequestMessage } from "./request-message.tsx";

const warm = { warm: true };
const requestChunk = () => import("./request-chunk.ts");
const EndState = lazyComponent(() => requestChunk().then((file) => file.EndState), warm);
const TaskProgress = lazyComponent(() => requestChunk().then((file) => file.TaskProgress), warm);
const TimeLimitLine = lazyComponent(() => requestChunk().then((file) => file.TimeLimitLine), warm);
const RequestMenuItems = lazyComponent(
  () => import("../list-chunk.ts").then((file) => file.RequestMenuItems),
  warm,
);

/** The lazy components that the header of this request needs. */
export function lazyHeaderParts(request: InputRequestDetail) {
  return [
    request.state !== "open" && EndState,
    isPressing(request, Date.now()) && TimeLimitLine,
    request.task.progress && TaskProgress,
  ].filter((each) => !!each);
}

/**
 * The server, the question, and the time left. `message` is the server's text: shown as text, whatever it
 * contains.
 */
export function RequestHeader({ request, message }: { request: InputRequestDetail; message: string }) {
  const me = useMe();
  return (
    <header className="flex flex-col gap-2.5">
      <div className="flex min-h-7 items-center gap-2 text-[13px] text-muted">
        <Server aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        {request.origin === "intray" && !request.gate ? (
          <span className="truncate">{request.server.name}</span>
        ) : (
          <Link
            href={`/servers/${request.server.id}`}
            className="truncate hover:text-ink hover:underline max-md:-my-3 max-md:py-3"
          >
            {request.server.name}
          </Link>
        )}
        <ChevronRight aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
        <Link
          href={`/tasks/${request.taskId}`}
          // What is for readers of screens alone is cut off with the rest, not beside the page.
          className="relative truncate hover:text-ink hover:underline max-md:-my-3 max-md:py-3"
        >
          {request.tool}
          {request.label && <span className="sr-only"> {request.label}, the task</span>}
        </Link>
        {me.may("protocol:read") && (
          <span className="max-sm:hidden">
            <EraBadge era={request.era} />
          </span>
        )}
        <RequestMenu request={request} />
      </div>
      <RequestMessage message={message} />
      <div
        id="request-state"
        className="flex flex-wrap items-center gap-x-3.5 gap-y-1.5 text-[13px] text-muted"
      >
        <State request={request} />
        <span>
          Asked <TimeAgo at={request.createdAt} />
        </span>
        <span>Requested by {actorWords(request.requestedBy)}</span>
        <Whose request={request} />
        {request.askedAgain && request.state !== "open" && <Badge>Asked again after an answer</Badge>}
        {!request.task.durable && <NotDurableBadge short />}
      </div>
      <WhySeen request={request} />
      <TimeLimit request={request} />
      <TaskNow request={request} />
    </header>
  );
}

/** The claim and the assignment of the request. */
function Whose({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const { claimedBy, assignedTo, standsInFor } = request;
  const name = (person: { id: string; name: string }) => (person.id === me.user.id ? "you" : person.name);
  return (
    <>
      {claimedBy && request.state === "open" && (
        <span className="inline-flex items-center gap-1.5">
          <UserRound aria-hidden className="size-3.5" strokeWidth={1.75} />
          Claimed by {name(claimedBy)} <TimeAgo at={claimedBy.at} />
        </span>
      )}
      {assignedTo && (
        <span className="inline-flex items-center gap-1.5">
          <UserRound aria-hidden className="size-3.5" strokeWidth={1.75} />
          Assigned to {name(assignedTo)}
          {standsInFor && (
            <span>
              , away until <Clock at={standsInFor.until} />: you stand in
            </span>
          )}
        </span>
      )}
    </>
  );
}

function State({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  if (request.state !== "open") return <EndState request={request} />;
  const isYours = me.may("requests:answer") && waitsFor(request, me.user.id);
  const words = isYours ? "Waiting for you" : "Waiting for a person";
  const tone = isYours ? "accent" : "neutral";
  return request.expiresAt ? (
    <WaitingBadge until={request.expiresAt} tone={tone} words={words} />
  ) : (
    <Badge tone={tone} icon={Clock3}>
      {words}
    </Badge>
  );
}

/** Actions on a request besides answering. */
function RequestMenu({ request }: { request: InputRequestDetail }) {
  const link = () => copyText(`${location.origin}/inbox/${request.id}`, "Link copied");
  return (
    <span className="-my-2 -mr-2 ml-auto flex max-md:-mr-3.5">
      <Button
        variant="ghost"
        size="icon"
        className="max-md:hidden"
        aria-label="Copy a link to this request"
        title="Copy a link to this request"
        onClick={link}
      >
        <Link2 aria-hidden strokeWidth={1.75} />
      </Button>
      <Menu
        items={RequestMenuItems}
        trigger={
          <Button variant="ghost" size="icon" aria-label="More about this request">
            <MoreHorizontal aria-hidden strokeWidth={1.75} />
          </Button>
        }
      >
        <RequestMenuItems request={request} link={link} />
      </Menu>
    </span>
  );
}

/** The time left to answer, if it matters. */
function TimeLimit({ request }: { request: InputRequestDetail }) {
  const reason = timeLimitReason(request);
  if (request.state !== "open" || request.expiresAt === null || reason === null) return null;
  return <Limit until={request.expiresAt} reason={reason} />;
}

type Reason = NonNullable<ReturnType<typeof timeLimitReason>>;

function Limit({ until, reason }: { until: string; reason: Reason }) {
  const { short } = useTimeLeft(until);
  return short || reason.habit ? <TimeLimitLine until={until} reason={reason} /> : null;
}

/** The progress and the status message of the task. */
function TaskNow({ request }: { request: InputRequestDetail }) {
  const { progress, state, statusMessage } = request.task;
  // Many servers repeat the question as the task's status message.
  const says = statusMessage && !repeatsRequest(statusMessage, request.message);
  if (!isLive(state) || (!progress && !says)) return null;
  return (
    <div className="flex max-w-[46rem] flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
      {progress && <TaskProgress progress={progress} />}
      {says && (
        <span>
          Task status: <PlainText text={shorten(statusMessage, 160)} />
        </span>
      )}
    </div>
  );
}
