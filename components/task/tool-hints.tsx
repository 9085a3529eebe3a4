import { Eye, type LucideIcon, PencilLine, Repeat, Trash2 } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import type { ServerTool } from "@/lib/servers/server-schema.ts";

/** The server's own claims about the tool, marked as unchecked. */
export function ToolHints({ tool }: { tool: ServerTool }) {
  return claimsOf(tool.annotations ?? {}).map(({ words, icon, tone }) => (
    <Badge key={words} tone={tone} icon={icon} title="The server says so; Intray cannot check it">
      {words}
    </Badge>
  ));
}

interface Claim {
  words: string;
  icon: LucideIcon;
  tone: "neutral" | "wait" | "bad";
}

function claimsOf(said: Record<string, unknown>): Claim[] {
  if (said.readOnlyHint === true)
    return [{ words: "Read only (declared by server)", icon: Eye, tone: "neutral" }];
  const claims: Claim[] = [];
  if (said.destructiveHint === true)
    claims.push({ words: "Destructive (declared by server)", icon: Trash2, tone: "bad" });
  else if (said.readOnlyHint === false || said.destructiveHint === false)
    claims.push({ words: "Changes data (declared by server)", icon: PencilLine, tone: "wait" });
  if (said.idempotentHint === true)
    claims.push({ words: "Repeatable (declared by server)", icon: Repeat, tone: "neutral" });
  return claims;
}
