"use client";

import { Agreement } from "@/components/form/agreement.tsx";
import { ToolDifference } from "@/components/server/tool-difference.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { ServerTool } from "@/lib/servers/server-schema.ts";

/**
 * Warns before the use of a tool whose definition changed since its last use; renders nothing otherwise. Once
 * the change is acknowledged, the start sends `acknowledgeToolChange: tool.digest`.
 */
export function ToolChanged({
  serverId,
  tool,
  seen,
  onSeen,
}: {
  serverId: string;
  tool: ServerTool;
  seen: boolean;
  onSeen: (seen: boolean) => void;
}) {
  if (!tool.change) return null;
  return (
    <Notice tone="wait" title="This tool’s definition has changed.">
      <p>
        It was last used <TimeAgo at={tool.change.lastUsedAt} />, and changed <TimeAgo at={tool.change.at} />.
        Make sure that it still does what you want.{" "}
        <Link href={`/servers/${serverId}`} className="underline underline-offset-4">
          The server’s page
        </Link>{" "}
        has every version.
      </p>
      <ToolDifference before={tool.change.before} after={tool} />
      <Agreement agreed={seen} onAgree={onSeen}>
        I have reviewed the change
      </Agreement>
    </Notice>
  );
}
