"use client";

import { Clock3, Unplug } from "lucide-react";
import { ConnectionTrouble, PausedNotice } from "@/components/server/server-notices.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { useTimeLeft } from "@/components/time/time-left.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Empty } from "@/components/ui/empty.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { shorten } from "@/lib/text/labels.ts";

/** Why an answer is not sent now: a paused server or a connection problem. */
export function RequestTrouble({ request }: { request: InputRequestDetail }) {
  const { server, connectionOwner, connectionState } = request;
  return (
    <>
      <PausedNotice server={server}>
        <p>
          {!request.answer && "You can answer now. "}Intray keeps the answer and sends it when the pause ends.
          The task’s own time limit still applies.
        </p>
      </PausedNotice>
      <ConnectionTrouble server={server} owner={connectionOwner} state={connectionState} />
    </>
  );
}

/** Why an answer is urgent; large when little time is left. Never prevents an answer. */
export function TimeLimitLine({
  until,
  reason,
}: {
  until: string;
  reason: { habit: boolean; words: string };
}) {
  const { words, short, over } = useTimeLeft(until);
  if (!short) return <p className="text-[13px] text-muted">{reason.words}</p>;
  return (
    <div
      className={cn(
        "flex items-center gap-3.5 rounded-lg border px-3.5 py-2.5",
        over ? "border-wait/30 bg-wait-soft" : "border-bad/30 bg-bad-soft",
      )}
    >
      <Clock3
        aria-hidden
        className={cn("size-5 shrink-0", over ? "text-wait" : "text-bad")}
        strokeWidth={1.75}
      />
      {/* Announced once on appearing and once at the end; the seconds are visual only. */}
      <p role="status" className="sr-only">
        {over
          ? "The time to answer has probably passed. You can still answer."
          : "Less than two minutes left to answer."}
      </p>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className={cn("font-semibold tabular-nums", over ? "text-wait" : "text-[17px] text-bad")}>
          {over ? "The time is probably up" : words}
        </p>
        <p className="text-[13px]">
          {reason.words}
          {over && " You can still answer, until the server says that it is too late."}
        </p>
      </div>
    </div>
  );
}

/** The progress of the task. */
export function TaskProgress({
  progress,
}: {
  progress: NonNullable<InputRequestDetail["task"]["progress"]>;
}) {
  return (
    <>
      <span className="w-32 shrink-0">
        <ProgressBar progress={progress} label="Progress of the task" />
      </span>
      <span className="shrink-0 tabular-nums">{progressWords(progress, useFormats())}</span>
      {progress.message && (
        <span>
          The server says: “<PlainText text={shorten(progress.message, 120)} />”
        </span>
      )}
    </>
  );
}

/** Says why a form is not shown. */
export function NoForm({ reason, canDecline }: { reason: string; canDecline: boolean }) {
  return (
    <Notice tone="wait" title="Intray can’t display this form">
      <p className="wrap-anywhere">{reason}.</p>
      {canDecline && <p>You can decline to answer, with a reason.</p>}
    </Notice>
  );
}

/** The request does not exist or this person may not see it. */
export function RequestMissing({ onBack }: { onBack: () => void }) {
  return (
    <div className="m-auto">
      <Empty
        icon={Unplug}
        title="Request not found"
        action={<Button onClick={onBack}>Back to the inbox</Button>}
      >
        The link may be old, or it belongs to another organization.
      </Empty>
    </div>
  );
}
