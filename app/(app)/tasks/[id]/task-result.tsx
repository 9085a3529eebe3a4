import { Facts } from "@/components/facts/facts.tsx";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { isLive } from "@/lib/format/outcome.ts";
import { parseJsonText, type ResultPart, readResult } from "@/lib/format/result.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

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
        <Part key={index} part={part} />
      ))}
      <details className="group">
        <summary className="w-fit rounded-sm text-[13px] text-muted hover:text-ink">As received</summary>
        <div className="pt-2">
          <JsonTree value={task.result} open={4} />
        </div>
      </details>
    </div>
  );
}

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function Part({ part }: { part: ResultPart }) {
  switch (part.type) {
    case "text": {
      const json = parseJsonText(part.text);
      if (json) return Array.isArray(json) ? <JsonTree value={json} /> : <Facts values={{ ...json }} />;
      return (
        <p className="whitespace-pre-wrap rounded-lg border border-line bg-panel px-3.5 py-3">{part.text}</p>
      );
    }
    case "image":
      return IMAGE_TYPES.includes(part.mimeType) ? (
        // biome-ignore lint/performance/noImgElement: inline data, nothing to optimise
        <img
          src={`data:${part.mimeType};base64,${part.data}`}
          alt="From the tool, undescribed"
          className="max-h-96 w-fit max-w-full rounded-lg border border-line"
        />
      ) : (
        <p className="text-muted">An image of the type {part.mimeType} is not shown.</p>
      );
    case "resource_link":
      return <Reference name={part.name} uri={part.uri} />;
    case "resource":
      return (
        <div className="flex flex-col gap-1.5">
          <Reference uri={part.resource.uri} />
          {part.resource.text && (
            <p className="whitespace-pre-wrap rounded-lg border border-line bg-panel px-3.5 py-3">
              {part.resource.text}
            </p>
          )}
        </div>
      );
    default:
      return <JsonTree value={part.value} />;
  }
}

function Reference({ name, uri }: { name?: string | undefined; uri: string }) {
  return (
    <p>
      {name && <span className="font-medium">{name} </span>}
      <span className="select-all break-all font-mono text-muted text-xs">{uri}</span>
    </p>
  );
}
