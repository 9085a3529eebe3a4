import { useFormats } from "@/components/shell/session/me.tsx";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { FoldedText } from "@/components/text/folded-text.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { isLive, statusSentence } from "@/lib/format/tasks/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";
import { TaskPhases } from "./task-phases.tsx";

/** The task's status in one sentence, its progress, and its phases. */
export function TaskProgress({ task }: { task: TaskDetail }) {
  const { progress } = task;
  const formats = useFormats();
  const sentence = statusSentence(task);
  const waiting = task.inputRequests.find((request) => request.state === "open");
  return (
    <section
      aria-label="Status"
      className="flex flex-col gap-2.5 rounded-lg border border-line bg-panel px-4 py-3"
    >
      <div aria-live="polite" className="flex flex-col gap-2.5 empty:hidden">
        {(sentence || progress) && (
          <p className="flex items-baseline gap-4">
            <span className="min-w-0 flex-1 font-medium break-words text-[13px]">
              <FoldedText text={sentence ?? "Working"} />
            </span>
            {progress && <span className="text-[13px] text-muted">{progressWords(progress, formats)}</span>}
          </p>
        )}
        {progress && isLive(task.state) && <ProgressBar progress={progress} label="Progress" />}
        {waiting && isLive(task.state) && (
          <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-wait-soft px-4 py-2.5">
            <p className="min-w-0 flex-1 basis-60 text-[13px] text-wait">
              <span className="line-clamp-3">
                <PlainText text={waiting.message} />
              </span>
            </p>
            <Button asChild size="sm" className="border-transparent">
              <Link href={`/inbox/${waiting.id}`}>Open the request</Link>
            </Button>
          </div>
        )}
      </div>
      <TaskPhases id={task.id} />
    </section>
  );
}
