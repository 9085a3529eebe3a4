import { ChartColumn, Inbox, ListChecks, type LucideIcon, Server } from "lucide-react";

export interface NavItem {
  href: string;
  label: string;
  icon: LucideIcon;
  /** The key pressed after G. */
  key: string;
}

export const NAV_ITEMS: NavItem[] = [
  { href: "/inbox", label: "Inbox", icon: Inbox, key: "i" },
  { href: "/tasks", label: "Tasks", icon: ListChecks, key: "t" },
  { href: "/servers", label: "Servers", icon: Server, key: "s" },
  { href: "/overview", label: "Overview", icon: ChartColumn, key: "o" },
];
