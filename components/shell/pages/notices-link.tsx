"use client";

import { Bell } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { useUnread } from "@/components/shell/session/use-unread.ts";
import { CountBadge } from "@/components/ui/badge.tsx";
import { Link } from "@/components/ui/link.tsx";

/** The bell of a phone's pages. A wide screen has it in the sidebar, and approvers in the bar below. */
export function NoticesLink() {
  const me = useMe();
  const unread = useUnread();
  if (me.view || me.role === "approver") return null;
  return (
    <Link
      href="/notices"
      aria-label={unread > 0 ? `Notifications, ${unread} unread` : "Notifications"}
      className="grid size-11 place-items-center rounded-lg text-muted"
    >
      <span aria-hidden className="relative">
        <Bell className="size-5" strokeWidth={1.75} />
        <CountBadge count={unread} of="unread" />
      </span>
    </Link>
  );
}
