"use client";

import { ChevronRight, Clock3, Server, UserRound } from "lucide-react";
import { WhySeen } from "@/components/request/why-seen.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { WaitingBadge } from "@/components/time/time-left.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { RequestMenu } from "./request-menu.tsx";
import { RequestMessage } from "./request-message.tsx";
import { EndState } from "./request-parts.ts";
import { TaskNow } from "./task-now.tsx";
import { TimeLimit } from "./time-limit.tsx";

/** Who asks, what, and how long it may wait. `message` is the server's text: shown as text, whatever it holds. */
export function RequestHeader({ request, message }: { request: InputRequestDetail; message: string }) {
  return (
    <header className="flex flex-col gap-2.5">
      <div className="flex min-h-7 items-center gap-2 text-[13px] text-muted">
        <Server aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        <Link
          href={`/servers/${request.server.id}`}
          className="truncate hover:text-ink hover:underline max-md:-my-3 max-md:py-3"
        >
          {request.server.name}
        </Link>
        <ChevronRight aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
        <Link
          href={`/tasks/${request.taskId}`}
          className="truncate hover:text-ink hover:underline max-md:-my-3 max-md:py-3"
        >
          {request.tool}
          {request.label && <span className="sr-only"> {request.label}, the task</span>}
        </Link>
        <span className="max-sm:hidden">
          <EraBadge era={request.era} />
        </span>
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
        <span>Requested by {request.requestedBy.name}</span>
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

/** In whose hands it is, and since when. */
function Whose({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const { claimedBy, assignedTo } = request;
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
        </span>
      )}
    </>
  );
}

function State({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  if (request.state !== "open") return <EndState request={request} />;
  const mine = request.claimedBy?.id === me.user.id || request.assignedTo?.id === me.user.id;
  const words =
    mine || (me.may("requests:answer") && !request.claimedBy) ? "Waiting for you" : "Waiting for a person";
  return request.expiresAt ? (
    <WaitingBadge until={request.expiresAt} words={words} />
  ) : (
    <Badge tone="wait" icon={Clock3}>
      {words}
    </Badge>
  );
}
