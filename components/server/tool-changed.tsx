"use client";

import { useId } from "react";
import { ToolDifference } from "@/components/server/tool-difference.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { ServerTool } from "@/lib/servers/schema.ts";

/**
 * Warns before the use of a tool whose definition changed since its last use; renders nothing otherwise. Once
 * the change is acknowledged, the start sends `acknowledgeToolChange: tool.digest`.
 */
export function ToolChanged({
  tool,
  seen,
  onSeen,
}: {
  tool: ServerTool;
  seen: boolean;
  onSeen: (seen: boolean) => void;
}) {
  const id = useId();
  if (!tool.change) return null;
  return (
    <Notice tone="wait" title="This tool’s definition has changed.">
      <p>
        It was last used <TimeAgo at={tool.change.lastUsedAt} />, and changed <TimeAgo at={tool.change.at} />.
        Make sure that it still does what you want.
      </p>
      <ToolDifference before={tool.change.before} after={tool} />
      <label htmlFor={id} className="flex items-center gap-2 pt-1 font-medium max-md:min-h-11">
        <input
          id={id}
          type="checkbox"
          checked={seen}
          onChange={(event) => onSeen(event.target.checked)}
          className="size-4 shrink-0 accent-(--accent)"
        />
        I have reviewed the change
      </label>
    </Notice>
  );
}
