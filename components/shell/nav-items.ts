import {
  Bell,
  ChartColumn,
  CircleCheck,
  CircleUserRound,
  Inbox,
  ListChecks,
  type LucideIcon,
  Server,
} from "lucide-react";

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
