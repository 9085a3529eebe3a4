"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { ApiKey } from "@/lib/api-keys/schema.ts";
import { capitalise } from "@/lib/text/labels.ts";

export function KeyRow({
  apiKey,
  onRename,
  onRevoke,
}: {
  apiKey: ApiKey;
  onRename: () => void;
  onRevoke: () => void;
}) {
  const me = useMe();
  const { name, role, createdBy, createdAt, lastUsedAt } = apiKey;
  const mayRevoke = role !== "owner" || me.may("owners:manage");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="flex min-w-0 flex-1 flex-col gap-0.5 max-md:basis-full">
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          <Badge className="shrink-0">{capitalise(role)}</Badge>
        </span>
        <span className="text-muted text-xs">
          {createdBy ? `Made by ${createdBy.name}` : "Made by the command line"} <Day at={createdAt} /> ·{" "}
          {lastUsedAt ? (
            <>
              used <TimeAgo at={lastUsedAt} />
            </>
          ) : (
            "never used"
          )}
        </span>
      </span>
      <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
        <Button aria-label={`Rename ${name}`} onClick={onRename}>
          Rename…
        </Button>
        {mayRevoke && (
          <Button variant="danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
            Revoke…
          </Button>
        )}
      </span>
    </li>
  );
}
