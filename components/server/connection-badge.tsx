import { CircleCheck, CircleDashed, KeyRound, type LucideIcon, ShieldPlus } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import { CONNECTION_WORDS } from "@/lib/format/connections.ts";
import type { ServerConnection } from "@/lib/servers/connections/schema.ts";

const ICONS: Record<ServerConnection["state"], LucideIcon> = {
  not_connected: CircleDashed,
  connected: CircleCheck,
  needs_reauth: KeyRound,
  needs_scope: ShieldPlus,
};

export function ConnectionBadge({ state }: { state: ServerConnection["state"] }) {
  const { word, tone } = CONNECTION_WORDS[state];
  return (
    <Badge tone={tone} icon={ICONS[state]}>
      {word}
    </Badge>
  );
}
