"use client";

import { NotDurableBadge } from "@/components/task/durability.tsx";
import { ToolHints } from "@/components/task/tool-hints.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { ServerTool } from "@/lib/servers/schema.ts";

/** The server's tools, with what it says of them. */
export function ToolPicker({
  tools,
  chosen,
  onChoose,
}: {
  tools: ServerTool[];
  chosen: string | null;
  onChoose: (name: string) => void;
}) {
  if (tools.length === 0) return <p className="text-muted">This server offers no tools.</p>;
  return (
    <fieldset className="flex min-w-0 flex-col">
      <legend className="mb-1.5 font-medium text-[13px]">Tool</legend>
      <div className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
        {tools.map((tool) => (
          <label
            key={tool.name}
            className={cn(
              "flex items-start gap-3 px-3.5 py-3 has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-2",
              tool.name === chosen ? "bg-accent-soft" : "hover:bg-sunken",
            )}
          >
            <input
              type="radio"
              name="tool"
              className="mt-0.5 size-4 shrink-0 accent-(--accent) outline-none"
              checked={tool.name === chosen}
              onChange={() => onChoose(tool.name)}
            />
            <span className="flex min-w-0 flex-1 flex-col gap-1">
              <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <span className="font-medium">{tool.title ?? tool.name}</span>
                {tool.title && <span className="font-mono text-muted text-xs">{tool.name}</span>}
                <ToolHints tool={tool} />
                {tool.taskSupport === "forbidden" && <NotDurableBadge short />}
              </span>
              {tool.description && (
                <span className={cn("text-[13px] text-muted", tool.name !== chosen && "line-clamp-3")}>
                  {tool.description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
