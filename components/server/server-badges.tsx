import {
  CircleCheck,
  CircleDashed,
  KeyRound,
  type LucideIcon,
  ShieldPlus,
  Terminal,
  UserCog,
} from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { ServerConnection } from "@/lib/servers/connections/connection-schema.ts";
import { CONNECTION_WORDS } from "@/lib/servers/connections/connection-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";

/** A server's URL, or a note that the server is a command on Intray's machine. */
export function ServerWhere({ server, className }: { server: Server; className?: string }) {
  if (server.kind === "http") return <span className={cn("font-mono text-xs", className)}>{server.url}</span>;
  return (
    <span className={cn("inline-flex items-center gap-1.5 text-xs", className)}>
      <Terminal aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
      Command on Intray’s machine
    </span>
  );
}

/** Marks a server from the operator's configuration file, which nobody can change here. */
export function OperatorBadge({ server }: { server: Server }) {
  if (server.origin !== "operator") return null;
  return (
    <Badge icon={UserCog} title="The person who runs Intray defines it in a file. It cannot be changed here">
      Defined by the operator
    </Badge>
  );
}

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
