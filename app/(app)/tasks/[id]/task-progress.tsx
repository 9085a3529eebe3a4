import Link from "next/link";
import { ProgressBar, progressPercent } from "@/components/task/progress.tsx";
import { Button } from "@/components/ui/button.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** The one sentence of how it stands, and how far it has come. */
export function TaskProgress({ task }: { task: TaskDetail }) {
  const percent = progressPercent(task.progress);
  const sentence = task.progress?.message ?? task.statusMessage;
  const waiting = task.inputRequests.find((request) => request.state === "open");
  if (!sentence && percent === null && !waiting) return null;
  return (
    <section
      aria-label="Status"
      aria-live="polite"
      className="flex flex-col gap-2.5 rounded-lg border border-line bg-panel px-4 py-3"
    >
      {(sentence || percent !== null) && (
        <p className="flex items-baseline gap-4">
          <span className="min-w-0 flex-1 font-medium text-[13px]">{sentence ?? "Working"}</span>
          {percent !== null && <span className="text-[13px] text-muted">{percent} %</span>}
        </p>
      )}
      {percent !== null && isLive(task.state) && <ProgressBar percent={percent} label="Progress" />}
      {waiting && isLive(task.state) && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-wait-soft px-3 py-2">
          <p className="min-w-0 flex-1 basis-60 text-[13px] text-wait">{waiting.message}</p>
          <Button asChild size="sm" className="border-transparent">
            <Link href={`/inbox/${waiting.id}`}>Open the request</Link>
          </Button>
        </div>
      )}
    </section>
  );
}
