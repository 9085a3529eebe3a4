import { Eye, PencilLine, Trash2 } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import type { ServerTool } from "@/lib/servers/schema.ts";

/** The server's own claims, marked as claims: nothing here is checked. */
export function ToolHints({ tool }: { tool: ServerTool }) {
  const claims = tool.annotations;
  if (!claims) return null;
  const title = "The server says so; Intray cannot check it";
  if (claims.readOnlyHint === true) {
    return (
      <Badge icon={Eye} title={title}>
        says it only reads
      </Badge>
    );
  }
  if (claims.destructiveHint === true) {
    return (
      <Badge tone="bad" icon={Trash2} title={title}>
        says it may destroy data
      </Badge>
    );
  }
  if (claims.readOnlyHint === false || claims.destructiveHint === false) {
    return (
      <Badge tone="wait" icon={PencilLine} title={title}>
        says it changes data
      </Badge>
    );
  }
  return null;
}
