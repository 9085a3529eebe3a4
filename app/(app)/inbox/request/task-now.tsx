"use client";

import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { isLive } from "@/lib/format/tasks/outcome.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { shorten } from "@/lib/text/labels.ts";

/** Where the task stands: what it says of itself, and how far it has come. */
export function TaskNow({ request }: { request: InputRequestDetail }) {
  const { progress, state, statusMessage } = request.task;
  // Many servers repeat the question as the status of the task: that says nothing new.
  const says = statusMessage && !request.message.includes(statusMessage);
  if (!isLive(state) || (!progress && !says)) return null;
  return (
    <div className="flex max-w-[46rem] flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
      {progress && (
        <>
          <span className="w-32 shrink-0">
            <ProgressBar progress={progress} label="Progress of the task" />
          </span>
          <span className="shrink-0 tabular-nums">{progressWords(progress)}</span>
          {progress.message && <PlainText text={shorten(progress.message, 120)} />}
        </>
      )}
      {says && (
        <span>
          The task says “<PlainText text={shorten(statusMessage, 160)} />”
        </span>
      )}
    </div>
  );
}
