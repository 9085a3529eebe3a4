import { useFormats } from "@/components/shell/session/me.tsx";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { cn } from "@/components/ui/cn.ts";
import { isLive, serverStateLabel } from "@/lib/format/tasks/outcome.ts";
import type { TaskSummary } from "@/lib/tasks/schema.ts";

/**
 * The task's status in one line: progress if known, else the outcome, the error, or the server's status
 * message.
 */
export function TaskMatter({ task, wrap = false }: { task: TaskSummary; wrap?: boolean }) {
  const { progress } = task;
  const formats = useFormats();
  if (progress && isLive(task.state) && task.state !== "input_required") {
    return (
      <span className="flex items-center gap-2.5">
        <span className="w-24 shrink-0">
          <ProgressBar progress={progress} label={`Progress of ${task.label ?? task.tool}`} />
        </span>
        <span className="shrink-0 text-muted text-xs">{progressWords(progress, formats)}</span>
        <span className="truncate text-muted">{progress.message}</span>
      </span>
    );
  }
  const text = task.outcome ?? task.error?.message ?? task.statusMessage;
  const cancelling = task.cancelRequestedAt && task.serverState;
  return (
    <span className={cn("block", !wrap && "truncate")} title={text ?? undefined}>
      {text}
      {cancelling && (
        <span className="text-muted"> · server says “{serverStateLabel(task.serverState ?? "")}”</span>
      )}
    </span>
  );
}
