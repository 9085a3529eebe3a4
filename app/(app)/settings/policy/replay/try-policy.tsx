"use client";

import { History } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ReplayResults } from "./replay-results.tsx";
import { type ReplayShown, useReplay } from "./use-replay.ts";

/** Tries the policy that is edited on what people decided lately. `policy` undefined: it can't be read now. */
export function TryPolicy({ policy }: { policy: unknown }) {
  const { shown, isRunning, start, stop } = useReplay();
  const isOld = shown !== null && JSON.stringify(shown.of) !== JSON.stringify(policy);
  return (
    <section aria-label="Try it on the last 30 days" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button disabled={isRunning || policy === undefined} onClick={() => start(policy)}>
          <History aria-hidden strokeWidth={1.75} />
          {isRunning ? "Trying…" : "Try it on the last 30 days"}
        </Button>
        {isRunning && (
          <Button variant="ghost" onClick={stop}>
            Stop
          </Button>
        )}
        {!shown && (
          <p className="min-w-60 flex-1 text-muted text-xs">
            Shows which rule of this policy each decided request would have matched. Nothing is changed or
            sent.
          </p>
        )}
      </div>
      {shown && isRunning && <Progress shown={shown} />}
      {shown?.failure && (
        <Notice live tone="bad" title={shown.failure.sentence}>
          {shown.failure.problems.map(({ field, message }) => (
            <p key={`${field} ${message}`}>
              {field}: <PlainText text={message} />
            </p>
          ))}
        </Notice>
      )}
      {isOld && !isRunning && (
        <Notice tone="wait" title="The policy has changed since. Try it again to see what it says now." />
      )}
      {shown && !shown.failure && <ReplayResults shown={shown} />}
    </section>
  );
}

function Progress({ shown: { progress } }: { shown: ReplayShown }) {
  const { number } = useFormats();
  const share = progress && progress.of > 0 ? progress.done / progress.of : 0;
  return (
    <div className="flex items-center gap-3 text-[13px] text-muted">
      <div
        role="progressbar"
        aria-label="Replayed requests"
        aria-valuemin={0}
        aria-valuemax={progress?.of ?? 0}
        aria-valuenow={progress?.done ?? 0}
        className="h-1.5 flex-1 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${Math.round(share * 100)}%` }} />
      </div>
      <span className="tabular-nums">
        {progress ? `${number(progress.done)} of ${number(progress.of)}` : "Reading…"}
      </span>
    </div>
  );
}
