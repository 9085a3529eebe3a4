"use client";

import { Download } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { FoldedText } from "@/components/text/folds.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import { readResult } from "@/lib/tasks/words/result.ts";
import { isLive } from "@/lib/tasks/words/state-labels.ts";
import { plural } from "@/lib/text/labels.ts";
import { ResultPartView } from "./result-part.tsx";
import { ResultValue } from "./result-value.tsx";

/** The tool's result. Server text: URLs are text, and nothing is loaded from elsewhere. */
export function TaskResult({ task }: { task: TaskDetail }) {
  if (task.result === null || task.result === undefined) {
    return (
      <p className="text-muted">
        {isLive(task.state) ? "No result yet: the task is not done." : "It ended without a result."}
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          {task.outcome && (
            <>
              <span className="text-muted">Outcome </span>
              <span className="font-semibold">
                <FoldedText text={task.outcome} />
              </span>
            </>
          )}
        </p>
        <Button size="sm" onClick={() => download(task)}>
          <Download aria-hidden strokeWidth={1.75} />
          Download as JSON
        </Button>
      </div>
      <Received result={task.result} />
    </div>
  );
}

/** Memoized: a result never changes, so updates of the task leave it in place. */
const Received = memo(function Received({ result }: { result: unknown }) {
  const [shown, setShown] = useState(PARTS);
  const read = useMemo(() => readResult(result), [result]);
  const left = (read?.parts.length ?? 0) - shown;
  return (
    <>
      {read?.isError && (
        <Notice tone="bad" title="The tool reports an error">
          <p>The task itself completed.</p>
        </Notice>
      )}
      {read?.structured !== undefined && <ResultValue value={read.structured} />}
      {read?.parts.slice(0, shown).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes
        <ResultPartView key={index} part={part} number={index + 1} />
      ))}
      {left > 0 && (
        <Button size="sm" className="w-fit" onClick={() => setShown(shown + PARTS)}>
          Show more ({plural(left, "part")} left)
        </Button>
      )}
      <details>
        <summary className="w-fit rounded-sm text-[13px] text-muted hover:text-ink max-md:py-3">
          As received
        </summary>
        <div className="pt-2">
          <JsonTree value={withoutData(result)} open={4} />
        </div>
      </details>
    </>
  );
});

/** Parts of a result shown at first, and added by each press. */
const PARTS = 20;

/** Downloads the result from the page's data. Nothing is fetched, and Intray chooses the file name. */
function download(task: TaskDetail): void {
  const file = new Blob([JSON.stringify(task.result, null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `result-${task.id}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}

/** By then the browser has read the blob. */
const REVOKE_MS = 60_000;
const LONGEST_TEXT = 10_000;

/** Shortens long strings: the data of images and files is useless to readers, and too large for a tree. */
function withoutData(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > LONGEST_TEXT ? `${value.slice(0, 100)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.map(withoutData);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutData(inner)]));
}
