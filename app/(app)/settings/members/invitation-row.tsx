"use client";

import { Clock } from "lucide-react";
import { RoleChange } from "@/components/people/role-change.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeUntil } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Role } from "@/lib/access/roles.ts";
import type { Invitation } from "@/lib/invitations/schema.ts";
import { capitalise } from "@/lib/text/labels.ts";

export function InvitationRow({
  invitation,
  pending,
  onRole,
  onRenew,
  onRevoke,
}: {
  invitation: Invitation;
  pending: boolean;
  onRole: (role: Role) => void;
  onRenew: () => void;
  onRevoke: () => void;
}) {
  const me = useMe();
  const { email, role, invitedBy, expired, expiresAt, mailed } = invitation;
  const mayTouch = role !== "owner" || me.may("owners:manage");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-0 flex-1 max-md:basis-full">
        <span className="block truncate font-medium">{email}</span>
        <span className="flex flex-wrap items-center gap-x-1.5 text-muted text-xs">
          {invitedBy && <span>by {invitedBy.name} ·</span>}
          {mailed && <span>by e-mail ·</span>}
          {expired ? (
            <Badge tone="wait" icon={Clock}>
              Expired
            </Badge>
          ) : (
            <span>
              <TimeUntil at={expiresAt} over="0 min" /> left
            </span>
          )}
        </span>
      </span>
      {mayTouch ? (
        <span className="flex flex-wrap items-center gap-2 max-md:w-full">
          <RoleChange label={`Role for ${email}`} role={role} pending={pending} onSave={onRole} />
          <Button
            className="max-md:flex-1"
            disabled={pending}
            aria-label={`New link for ${email}`}
            onClick={onRenew}
          >
            New link
          </Button>
          <Button
            variant="danger"
            className="max-md:flex-1"
            aria-label={`Revoke the invitation of ${email}`}
            onClick={onRevoke}
          >
            Revoke…
          </Button>
        </span>
      ) : (
        <span className="px-3 text-muted">{capitalise(role)}</span>
      )}
    </li>
  );
}
