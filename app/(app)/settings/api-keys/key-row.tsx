"use client";

import { CircleX, Clock3, Ellipsis, Infinity as NoEnd, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Day, TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { actionWords } from "@/lib/access/permissions.ts";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";

const DIALOGS = {
  rotate: lazyComponent(() => import("./key-actions-dialogs.tsx").then((file) => file.RotateDialog)),
  networks: lazyComponent(() => import("./key-actions-dialogs.tsx").then((file) => file.NetworksDialog)),
  end: lazyComponent(() => import("./key-actions-dialogs.tsx").then((file) => file.EndSecretDialog)),
  rename: lazyComponent(() => import("./rename-dialog.tsx").then((file) => file.RenameDialog)),
  revoke: lazyComponent(() => import("./key-actions-dialogs.tsx").then((file) => file.RevokeDialog)),
};

export function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const me = useMe();
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  const {
    name,
    role,
    serviceAccount,
    createdBy,
    createdAt,
    expiresAt,
    previousUntil,
    networks,
    permissions,
    reach,
  } = apiKey;
  const mayEnd = role !== "owner" || me.may("owners:manage");
  const isOwn = createdBy?.id === me.user.id;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
      <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          <Badge className="shrink-0">{capitalise(role)}</Badge>
          <StateBadge apiKey={apiKey} />
        </span>
        <span className="text-muted text-xs">
          {serviceAccount && `Of ${serviceAccount.name} · `}
          {createdBy ? `Made by ${createdBy.name}` : "Made by the command line"} <Day at={createdAt} />
          {expiresAt && (
            <>
              {" · "}
              {apiKey.state === "expired" ? "ended" : "ends"} <Day at={expiresAt} />
            </>
          )}
          {" · "}
          <LastUse apiKey={apiKey} />
        </span>
        {(permissions || reach) && (
          <span className="break-words text-muted text-xs">{limitWords(apiKey)}</span>
        )}
        {networks.length > 0 && (
          <span className="break-words text-muted text-xs">Only from {networks.join(", ")}</span>
        )}
        {previousUntil && (
          <span className="text-muted text-xs">
            The previous secret works for another <TimeUntil at={previousUntil} over="moment" />.
          </span>
        )}
      </span>
      <span className="flex gap-2 max-md:w-full max-md:*:first:flex-1">
        {isOwn && (
          <Button aria-label={`Rotate ${name}`} onClick={() => setAsking("rotate")}>
            Rotate…
          </Button>
        )}
        <Menu
          trigger={
            <Button
              size="icon"
              variant="ghost"
              className="h-9 w-9 max-md:h-11 max-md:w-11"
              aria-label={`More for ${name}`}
            >
              <Ellipsis aria-hidden strokeWidth={1.75} />
            </Button>
          }
        >
          <MenuItem onSelect={() => setAsking("rename")}>Rename…</MenuItem>
          {mayEnd && <MenuItem onSelect={() => setAsking("networks")}>Allowed networks…</MenuItem>}
          {mayEnd && previousUntil && (
            <MenuItem onSelect={() => setAsking("end")}>End the previous secret…</MenuItem>
          )}
          {mayEnd && <MenuSeparator />}
          {mayEnd && <MenuItem onSelect={() => setAsking("revoke")}>Revoke…</MenuItem>}
        </Menu>
      </span>
      {Asked && <Asked apiKey={apiKey} onClose={() => setAsking(null)} />}
    </li>
  );
}

function StateBadge({ apiKey: { state, expiresAt } }: { apiKey: ApiKey }) {
  if (state === "expired")
    return (
      <Badge tone="bad" icon={CircleX}>
        Expired
      </Badge>
    );
  if (state === "rotated")
    return (
      <Badge tone="accent" icon={RefreshCw}>
        Rotated
      </Badge>
    );
  if (state === "expiring")
    return (
      <Badge tone="wait" icon={Clock3}>
        Ends soon
      </Badge>
    );
  return expiresAt ? null : <Badge icon={NoEnd}>No end</Badge>;
}

/** `Read tasks, Start tasks · on ERP, pay of Finance`. */
function limitWords({ permissions, reach }: ApiKey): string {
  const names = [
    ...(reach?.servers.map(({ name }) => name) ?? []),
    ...(reach?.tools.map(({ server, name }) => `${name} of ${server.name}`) ?? []),
  ];
  const actions = permissions ? permissions.map(actionWords).join(", ") : "All actions of its role";
  return reach ? `${actions} · on ${names.join(", ")}` : actions;
}

function LastUse({ apiKey: { lastUsedAt, lastUsedNetwork, lastUsedAgent } }: { apiKey: ApiKey }) {
  if (!lastUsedAt) return "never used";
  return (
    <>
      used <TimeAgo at={lastUsedAt} />
      {lastUsedNetwork && ` from ${lastUsedNetwork}`}
      {lastUsedAgent && <span className="break-all"> by {lastUsedAgent}</span>}
    </>
  );
}
