import { Badge } from "@/components/ui/badge.tsx";

/** The protocol version, which explains why two servers behave differently. */
export function EraBadge({ era }: { era: string | null }) {
  return era ? (
    <Badge title="Protocol version of this server" className="font-normal">
      MCP {era}
    </Badge>
  ) : null;
}
