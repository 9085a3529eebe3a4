import {
  Bell,
  Bot,
  ChartColumn,
  CircleCheck,
  CircleUserRound,
  History,
  Inbox,
  ListChecks,
  type LucideIcon,
  Server,
} from "lucide-react";
import type { Permission } from "@/lib/access/permissions.ts";

export interface NavItem {
  href: string;
  label: string;
  icon: LucideIcon;
  /** The key pressed after G. */
  key: string;
}

/** On a phone: the account, and all settings. */
export const ME: Omit<NavItem, "key"> = { href: "/settings", label: "Me", icon: CircleUserRound };

/** The phone's navigation of approvers, who decide there and seldom look at tasks and servers. */
export const APPROVER_ITEMS: Omit<NavItem, "key">[] = [
  { href: "/inbox", label: "Inbox", icon: Inbox },
  { href: "/inbox?tab=done", label: "Done", icon: CircleCheck },
  { href: "/notices", label: "Notifications", icon: Bell },
  ME,
];

export const NAV_ITEMS: NavItem[] = [
  { href: "/inbox", label: "Inbox", icon: Inbox, key: "i" },
  { href: "/tasks", label: "Tasks", icon: ListChecks, key: "t" },
  { href: "/servers", label: "Servers", icon: Server, key: "s" },
  { href: "/overview", label: "Overview", icon: ChartColumn, key: "o" },
];

interface MoreItem extends Omit<NavItem, "key"> {
  needs: Permission;
  /** The item of NAV_ITEMS below which it stands in the sidebar. */
  below: string;
  /** For the palette. */
  words: string;
  keys?: string;
}

/** On a phone on the page Me, and in the menu of the person. */
export const MORE_ITEMS: MoreItem[] = [
  {
    href: "/servers/agents",
    label: "Agents",
    icon: Bot,
    needs: "agents:manage",
    below: "/servers",
    words: "agents credentials grants",
  },
  {
    href: "/notices",
    label: "Notifications",
    icon: Bell,
    needs: "account:use",
    below: "/overview",
    words: "notifications unread bell",
  },
  {
    href: "/activity",
    label: "Activity",
    icon: History,
    needs: "events:read",
    below: "/overview",
    words: "history event log audit verify export",
    keys: "G then A",
  },
];

/** Returns the longest of these addresses that the path is at, so that `/servers/agents` is not at `/servers` too. */
export function placeOf(pathname: string): string | undefined {
  const all = [...NAV_ITEMS, ...MORE_ITEMS].map(({ href }) => href);
  return all.filter((href) => pathname.startsWith(href)).toSorted((a, b) => b.length - a.length)[0];
}
