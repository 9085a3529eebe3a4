"use client";

import { Ellipsis, Eye } from "lucide-react";
import { RoleChange } from "@/components/people/role-change.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import type { Role } from "@/lib/access/roles.ts";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";

/** What an admin may ask for about a member, each in a dialog of its own. */
export type Asked = "view" | "vouch" | "remove" | "suspend" | "sessions" | "password" | "unvouch" | "away";

export function MemberRow({
  member,
  pending,
  onRole,
  onAsk,
}: {
  member: Member;
  pending: boolean;
  onRole: (role: Role) => void;
  onAsk: (what: Asked) => void;
}) {
  const me = useMe();
  const isMe = member.userId === me.user.id;
  const mayTouch = member.role !== "owner" || me.may("owners:manage");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span
        aria-hidden
        className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-xs"
      >
        {member.name.charAt(0).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {member.name}
          {isMe && <span className="font-normal text-muted"> · you</span>}
        </span>
        <span className="block truncate text-muted text-xs">{member.email}</span>
        {(member.countsWith || member.vouchedBy) && (
          <span className="block text-muted text-xs">
            {member.countsWith
              ? `One person with ${member.countsWith.name}`
              : `A person of their own: ${member.vouchedBy} vouched`}
          </span>
        )}
        {!member.proven && <span className="block text-wait text-xs">E-mail not confirmed</span>}
      </span>
      <span className="flex flex-wrap items-center gap-2 max-md:w-full max-md:pl-11">
        {mayTouch ? (
          <RoleChange label={`Role of ${member.name}`} role={member.role} pending={pending} onSave={onRole} />
        ) : (
          <span className="px-3 text-muted">{capitalise(member.role)}</span>
        )}
        {member.mayVouch && (
          <Button aria-label={`Vouch for ${member.name}`} onClick={() => onAsk("vouch")}>
            Vouch…
          </Button>
        )}
        {mayTouch && !isMe && (
          <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
            <Button aria-label={`View as ${member.name}`} onClick={() => onAsk("view")}>
              <Eye aria-hidden strokeWidth={1.75} />
              View as…
            </Button>
            <Button variant="danger" aria-label={`Remove ${member.name}`} onClick={() => onAsk("remove")}>
              Remove…
            </Button>
            <Menu
              trigger={
                <Button
                  size="icon"
                  variant="ghost"
                  className="h-9 w-9 max-md:h-11 max-md:w-11 max-md:flex-none!"
                  aria-label={`More for ${member.name}`}
                >
                  <Ellipsis aria-hidden strokeWidth={1.75} />
                </Button>
              }
            >
              {member.role !== "viewer" && <MenuItem onSelect={() => onAsk("away")}>Away…</MenuItem>}
              <MenuItem onSelect={() => onAsk("sessions")}>Sessions…</MenuItem>
              <MenuItem onSelect={() => onAsk("password")}>Password link…</MenuItem>
              {member.vouchedBy && me.may("owners:manage") && (
                <MenuItem onSelect={() => onAsk("unvouch")}>Take vouching back…</MenuItem>
              )}
              <MenuSeparator />
              <MenuItem onSelect={() => onAsk("suspend")}>Suspend…</MenuItem>
            </Menu>
          </span>
        )}
      </span>
    </li>
  );
}
