"use client";

import { useQuery } from "@tanstack/react-query";
import { FilePen } from "lucide-react";
import { useId } from "react";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { ToolDifference } from "@/components/server/tool-difference.tsx";
import { ToolHistory } from "@/components/server/tool-history.tsx";
import { ToolHints } from "@/components/task/tool-hints.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { serverTools } from "@/lib/api-client/servers.ts";
import type { Server, ServerTool } from "@/lib/servers/schema.ts";

const TASK_SUPPORT: Record<ServerTool["taskSupport"], string> = {
  required: "always runs as a task",
  optional: "can run as a task",
  forbidden: "never runs as a task",
};

/** The server's tools, as the server describes them. */
export function ServerTools({ server }: { server: Server }) {
  const heading = useId();
  const tools = useQuery(serverTools(server.id));
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-2.5">
      <h2 id={heading} className="font-medium text-[13px] text-muted">
        Tools
      </h2>
      {tools.isPending && <div aria-hidden className="skeleton h-32" />}
      {tools.isError && server.startsOn === null && (
        <p className="text-muted">They are known once somebody has signed in at the server.</p>
      )}
      {tools.isError && server.startsOn !== null && (
        <LoadFailure what="The tools" error={tools.error} onRetry={() => void tools.refetch()} />
      )}
      {tools.data?.items.length === 0 && <p className="text-muted">This server offers no tools.</p>}
      {tools.data && tools.data.items.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel">
          {tools.data.items.map((tool) => (
            <li key={tool.name} className="flex flex-col gap-1.5 px-4 py-3.5">
              <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <span className="font-medium">{tool.title ?? tool.name}</span>
                {tool.title && <span className="font-mono text-muted text-xs">{tool.name}</span>}
                <Badge>{TASK_SUPPORT[tool.taskSupport]}</Badge>
                <ToolHints tool={tool} />
                {tool.change && (
                  <Badge tone="wait" icon={FilePen}>
                    changed since it was used last
                  </Badge>
                )}
              </h3>
              {tool.description && (
                <p className="max-w-3xl whitespace-pre-line text-muted">{tool.description}</p>
              )}
              {tool.change && (
                <div className="flex max-w-3xl flex-col gap-1.5 rounded-lg border border-wait/30 bg-wait-soft px-3.5 py-2.5 text-[13px]">
                  <ToolDifference before={tool.change.before} after={tool} />
                </div>
              )}
              <details>
                <summary className="w-fit rounded-sm text-[13px] text-muted hover:text-ink max-md:-my-3 max-md:py-3">
                  Input schema
                </summary>
                <div className="pt-2">
                  <JsonTree value={tool.inputSchema} open={4} />
                </div>
              </details>
              <ToolHistory server={server} tool={tool} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
