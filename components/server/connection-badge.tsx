import { CircleCheck, CircleDashed, KeyRound, type LucideIcon, ShieldPlus } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import type { ServerConnection } from "@/lib/servers/connections/connection-schema.ts";
import { CONNECTION_WORDS } from "@/lib/servers/connections/connection-words.ts";

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
