import { Facts } from "@/components/facts/facts.tsx";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import { readResult } from "@/lib/format/result.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";
import { ResultPartView } from "./result-part.tsx";

/** What the tool returned. Server text: links are text, and nothing is loaded from elsewhere. */
export function TaskResult({ task }: { task: TaskDetail }) {
  if (task.result === null || task.result === undefined) {
    return (
      <p className="text-muted">
        {isLive(task.state) ? "No result yet: the task is not done." : "It ended without a result."}
      </p>
    );
  }
  const read = readResult(task.result);
  return (
    <div className="flex flex-col gap-4">
      {read?.isError && (
        <Notice tone="bad" title="The tool reports an error">
          <p>The task itself ran to its end.</p>
        </Notice>
      )}
      {task.outcome && (
        <p>
          <span className="text-muted">Outcome </span>
          <span className="font-semibold">{task.outcome}</span>
        </p>
      )}
      {read?.structured && <Facts values={read.structured} />}
      {read?.parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes
        <ResultPartView key={index} part={part} number={index + 1} />
      ))}
      <details className="group">
        <summary className="w-fit rounded-sm text-[13px] text-muted hover:text-ink max-md:py-3">
          As received
        </summary>
        <div className="pt-2">
          <JsonTree value={withoutData(task.result)} open={4} />
        </div>
      </details>
    </div>
  );
}

const LONGEST_TEXT = 10_000;

/** The data of images and files is of no use to readers, and too much for a tree. */
function withoutData(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > LONGEST_TEXT ? `${value.slice(0, 100)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.map(withoutData);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutData(inner)]));
}
