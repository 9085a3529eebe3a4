"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ToolDifference } from "@/components/server/tool-difference.tsx";
import { Day } from "@/components/time/time.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { toolVersions } from "@/lib/api-client/servers.ts";
import type { Server, ServerTool, ToolVersion } from "@/lib/servers/schema.ts";

/** Earlier definitions of a tool, loaded when unfolded. */
export function ToolHistory({ server, tool }: { server: Server; tool: ServerTool }) {
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
