"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { inLines, SchemaText, ToolDifference } from "@/components/server/tool-difference.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import type { AgentGrant } from "@/lib/agents/agent-schema.ts";
import type { ToolText } from "@/lib/servers/server-schema.ts";
import { toolVersion } from "@/lib/web/client/servers.ts";

/**
 * What changed in a tool since it was granted. Both texts are read by the digests that the grant names, so that an admin
 * approves exactly what stands here. `unfolded`: shown at once, else when it is unfolded.
 */
export function ChangedTool({
  serverId,
  changed: { tool, digest, grantedDigest, isNew },
  unfolded,
}: {
  serverId: string;
  changed: AgentGrant["changed"][number];
  unfolded: boolean;
}) {
  const [open, setOpen] = useState(unfolded);
  const now = useQuery({ ...toolVersion(serverId, tool, digest), enabled: open });
  const granted = useQuery({
    ...toolVersion(serverId, tool, grantedDigest ?? ""),
    enabled: open && grantedDigest !== null,
  });
  const failed = [now, granted].find(({ isError, data }) => isError && data === undefined);
  const isLoaded = now.data !== undefined && (grantedDigest === null || granted.data !== undefined);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-sm max-md:min-h-11 max-md:py-3">
        <span className="break-all font-mono">
          <PlainText text={tool} />
        </span>
        {isNew && (
          <>
            {" "}
            <Badge>New</Badge>
          </>
        )}
      </summary>
      <div className="flex flex-col gap-1.5 border-line border-l-2 py-1 pl-3">
        {failed?.error ? (
          <LoadFailure
            what="The change"
            error={failed.error}
            onRetry={() => void Promise.all([now.refetch(), grantedDigest !== null && granted.refetch()])}
          />
        ) : isLoaded ? (
          <Change before={granted.data ?? null} after={now.data ?? null} isNew={isNew} />
        ) : (
          <div aria-hidden className="skeleton h-10" />
        )}
      </div>
    </details>
  );
}

/** All texts come from the server and are untrusted. */
function Change({
  before,
  after,
  isNew,
}: {
  before: ToolText | null;
  after: ToolText | null;
  isNew: boolean;
}) {
  if (!after) return <p>The tool has changed again. Reload the page to see how.</p>;
  if (!before)
    return (
      <>
        <p>
          {isNew
            ? "The server did not have this tool when its tools were granted."
            : "Intray no longer has the text that was granted. This is the current text:"}
        </p>
        {after.title && (
          <p className="font-medium">
            <PlainText text={after.title} />
          </p>
        )}
        <p className="whitespace-pre-wrap break-words">
          {after.description ? <PlainText text={after.description} /> : "It has no description."}
        </p>
        <SchemaText title="Input schema">
          <PlainText text={inLines(after.inputSchema)} />
        </SchemaText>
      </>
    );
  return <ToolDifference before={before} after={after} />;
}
