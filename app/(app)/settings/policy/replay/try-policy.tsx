"use client";

import { History, X } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ReplayResults } from "./replay-results.tsx";
import type { Replay, ReplayShown } from "./use-replay.ts";

/** Starts trying the policy that is edited on what people decided lately. `policy` undefined: it can't be read now. */
export function TryButton({ policy, replay }: { policy: unknown; replay: Replay }) {
  return (
    <Button
      disabled={replay.isRunning || policy === undefined}
      title="Lists the decided requests for which it changes who has to agree. Nothing is changed or sent."
      onClick={() => replay.start(policy)}
    >
      <History aria-hidden strokeWidth={1.75} />
      {replay.isRunning ? (
        "Trying…"
      ) : (
        <span>
          Try it<span className="max-md:sr-only"> on the last 30 days</span>
        </span>
      )}
    </Button>
  );
}

/** What trying the policy said; nothing before. It scrolls within itself, so that the buttons below stay in view. */
export function TriedPolicy({ policy, replay }: { policy: unknown; replay: Replay }) {
  const { shown, isRunning, stop } = replay;
  if (!shown) return null;
  const isOld = JSON.stringify(shown.of) !== JSON.stringify(policy);
  return (
    <section
      aria-label="Try it on the last 30 days"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className="flex max-h-[45dvh] flex-col gap-3 overflow-y-auto"
    >
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          {isRunning && <Progress shown={shown} />}
          {shown.failure && (
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
          {!shown.failure && <ReplayResults shown={shown} />}
        </div>
        <Button
          variant="ghost"
          size={isRunning ? "sm" : "icon"}
          aria-label={isRunning ? undefined : "Close the result"}
          onClick={stop}
        >
          {isRunning ? "Stop" : <X aria-hidden strokeWidth={1.75} />}
        </Button>
      </div>
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
