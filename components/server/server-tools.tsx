"use client";

import { useQuery } from "@tanstack/react-query";
import { FilePen } from "lucide-react";
import { useId, useState } from "react";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { ToolDifference } from "@/components/server/tool-difference.tsx";
import { ToolHints } from "@/components/task/tool-hints.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { Server, ServerTool, ToolVersion } from "@/lib/servers/server-schema.ts";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { useKeptError } from "@/lib/web/client/base/query-client.ts";
import { seenServerTools, serverTools, toolVersions } from "@/lib/web/client/servers.ts";

const TASK_SUPPORT: Record<ServerTool["taskSupport"], string> = {
  required: "always runs as a task",
  optional: "can run as a task",
  forbidden: "never runs as a task",
};

/** Lists the server's tools: first the stored ones, then those of the server's answer. */
export function ServerTools({ server }: { server: Server }) {
  const heading = useId();
  const asked = useQuery(serverTools(server.id));
  const seen = useQuery({ ...seenServerTools(server.id), enabled: !asked.data });
  const failure = useKeptError(asked);
  const list = asked.data ?? (seen.data?.checkedAt ? seen.data : undefined);
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-2.5">
      <h2 id={heading} className="flex flex-wrap gap-x-2 font-medium text-[13px] text-muted">
        Tools
        {list?.checkedAt && (
          <span className="font-normal">
            as of <TimeAgo at={list.checkedAt} />
          </span>
        )}
      </h2>
      {!list && !failure && (
        <p role="status" className="text-muted">
          Asking {server.name} for its tools…
        </p>
      )}
      {!list && failure && <NoTools server={server} error={failure} onRetry={() => void asked.refetch()} />}
      {list?.items.length === 0 && <p className="text-muted">This server offers no tools.</p>}
      {list && list.items.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel">
          {list.items.map((tool) => (
            <li key={tool.name} className="flex flex-col gap-1.5 px-4 py-3.5">
              <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <span className="font-medium">{tool.title ?? tool.name}</span>
                {tool.title && <span className="font-mono text-muted text-xs">{tool.name}</span>}
                <Badge>{runsAs(tool, list.items)}</Badge>
                <ToolHints tool={tool} />
                {tool.change && (
                  <Badge tone="wait" icon={FilePen}>
                    Changed since last use
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

/** A tool that a recipe calls runs in the recipe's task: what it may do by itself says nothing of that. */
function runsAs({ name, recipe, taskSupport }: ServerTool, tools: ServerTool[]): string {
  if (recipe) return `recipe, version ${recipe.version}`;
  const callers = tools.filter((tool) => Object.hasOwn(tool.recipe?.tools ?? {}, name));
  if (callers.length === 0) return TASK_SUPPORT[taskSupport];
  return `called by the recipe ${callers.map((tool) => tool.name).join(", ")}`;
}

/** Why no tools are known. */
function NoTools({ server, error, onRetry }: { server: Server; error: Error; onRetry: () => void }) {
  if (server.startsOn === null)
    return <p className="text-muted">They are listed once somebody has signed in at the server.</p>;
  if (!(error instanceof ApiError && ["server_unavailable", "server_paused"].includes(error.code)))
    return <LoadFailure what="The tools" error={error} onRetry={onRetry} />;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-panel px-4 py-3">
      <p className="min-w-60 flex-1 text-muted">No tools known yet. {error.sentence}</p>
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** Earlier definitions of a tool, loaded when unfolded. */
function ToolHistory({ server, tool }: { server: Server; tool: ServerTool }) {
  const [open, setOpen] = useState(false);
  const versions = useQuery({ ...toolVersions(server.id, tool.name), enabled: open });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-sm text-[13px] text-muted hover:text-ink max-md:-my-3 max-md:py-3">
        Version history
      </summary>
      <div className="pt-2 text-[13px]">
        {versions.isPending && open && <div aria-hidden className="skeleton h-10" />}
        {versions.isError && (
          <LoadFailure what="Its history" error={versions.error} onRetry={() => void versions.refetch()} />
        )}
        {versions.data && <Versions versions={versions.data.items} />}
      </div>
    </details>
  );
}

function Versions({ versions }: { versions: ToolVersion[] }) {
  if (versions.length <= 1) return <p className="text-muted">Unchanged since Intray first saw it.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {versions.map((version, index) => {
        const before = versions[index + 1];
        return (
          <li key={version.digest} className="flex flex-col gap-1 border-line border-l-2 pl-3">
            <p className="text-muted">
              Since <Day at={version.since} />
              {version.usedBy && version.usedAt && (
                <>
                  , used as this by {actorWords(version.usedBy)} <Day at={version.usedAt} />
                </>
              )}
            </p>
            {before ? <ToolDifference before={before} after={version} /> : <p>As first seen.</p>}
          </li>
        );
      })}
    </ol>
  );
}
