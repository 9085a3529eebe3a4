"use client";

import { ChevronRight, Clock3, Link2, Server } from "lucide-react";
import Link from "next/link";
import { toast } from "sonner";
import { useMe } from "@/components/shell/me.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { WaitingBadge } from "@/components/time/time-left.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import { REQUEST_LABELS, REQUEST_TONES } from "@/lib/format/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { TimeLimit } from "./time-limit.tsx";

/** Who asks, what, and how long it may wait. `message` is the server's text: shown as text, whatever it holds. */
export function RequestHeader({ request, message }: { request: InputRequestDetail; message: string }) {
  return (
    <header className="flex flex-col gap-2.5">
      <div className="flex min-h-7 items-center gap-2 text-[13px] text-muted">
        <Server aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        <Link href={`/servers/${request.server.id}`} className="truncate hover:text-ink hover:underline">
          {request.server.name}
        </Link>
        <ChevronRight aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
        <Link href={`/tasks/${request.taskId}`} className="truncate hover:text-ink hover:underline">
          {request.tool}
          {request.label && <span className="sr-only"> {request.label}, the task</span>}
        </Link>
        <span className="max-sm:hidden">
          <EraBadge era={request.era} />
        </span>
        <Button
          variant="ghost"
          size="icon"
          className="-my-2 -mr-2 ml-auto max-md:-mr-3.5"
          aria-label="Copy a link to this request"
          title="Copy a link to this request"
          onClick={() => {
            const link = `${location.origin}/inbox/${request.id}`;
            void navigator.clipboard?.writeText(link).then(() => toast("Link copied"));
          }}
        >
          <Link2 aria-hidden strokeWidth={1.75} />
        </Button>
      </div>
      <h2
        id="request-title"
        tabIndex={-1}
        className="max-w-[46rem] whitespace-pre-line text-balance font-semibold text-[20px] leading-[1.35] tracking-tight outline-none md:text-[21px]"
      >
        {message}
      </h2>
      <div className="flex flex-wrap items-center gap-x-3.5 gap-y-1.5 text-[13px] text-muted">
        <Waiting request={request} />
        <span>
          Asked <TimeAgo at={request.createdAt} />
        </span>
        <span>Requested by {request.requestedBy.name}</span>
        {request.assignedTo && <span>Assigned to {request.assignedTo.name}</span>}
        {request.askedAgain && <Badge>Asked again after an answer</Badge>}
        {!request.task.durable && <NotDurableBadge short />}
      </div>
      <TimeLimit request={request} />
      <Progress request={request} />
    </header>
  );
}

/** How far the task had come when it asked. */
function Progress({ request }: { request: InputRequestDetail }) {
  const { progress, state } = request.task;
  if (!progress || !isLive(state)) return null;
  return (
    <div className="flex max-w-md items-center gap-3 text-[13px] text-muted">
      <span className="w-32 shrink-0">
        <ProgressBar progress={progress} label="Progress of the task" />
      </span>
      <span className="shrink-0 tabular-nums">{progressWords(progress)}</span>
      <span className="truncate">{progress.message}</span>
    </div>
  );
}

function Waiting({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  if (request.state !== "open") {
    return <Badge tone={REQUEST_TONES[request.state]}>{REQUEST_LABELS[request.state]}</Badge>;
  }
  const mine = request.claimedBy?.id === me.user.id || request.assignedTo?.id === me.user.id;
  const words =
    mine || (me.may("approver") && !request.claimedBy) ? "Waiting for you" : "Waiting for a person";
  return request.expiresAt ? (
    <WaitingBadge until={request.expiresAt} words={words} />
  ) : (
    <Badge tone="wait" icon={Clock3}>
      {words}
    </Badge>
  );
}
