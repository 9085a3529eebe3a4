import { useFormats } from "@/components/shell/session/me.tsx";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { matterOf } from "./row-facts.ts";

/** The task's status in one line, see `matterOf()`. */
export function TaskMatter({ task, wrap = false }: { task: TaskSummary; wrap?: boolean }) {
  const formats = useFormats();
  const matter = matterOf(task);
  if ("progress" in matter) {
    const { progress } = matter;
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
  const { text, server } = matter;
  return (
    <span className={cn("block", !wrap && "truncate")} title={text ?? undefined}>
      {text}
      {server && <span className="text-muted"> · server says “{server}”</span>}
    </span>
  );
}
