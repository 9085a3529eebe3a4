import {
  Bell,
  Building2,
  CalendarClock,
  CalendarOff,
  FolderSync,
  Hourglass,
  IdCard,
  Keyboard,
  KeyRound,
  ListChecks,
  LogIn,
  type LucideIcon,
  MessageSquareText,
  MessageSquareX,
  MessagesSquare,
  Palette,
  ScrollText,
  ShieldCheck,
  Timer,
  Users,
  UsersRound,
  Vote,
  Webhook,
} from "lucide-react";
import type { Permission } from "@/lib/access/permissions.ts";

/** In the order of the page. */
export const SETTINGS_GROUPS = ["You", "Approvals", "People and sign-in", "Integrations", "Data"] as const;
type SettingsGroup = (typeof SETTINGS_GROUPS)[number];

export interface SettingsSection {
  href: string;
  label: string;
  /** One line, for the list on a phone and for the palette. */
  description: string;
  icon: LucideIcon;
  /** The permission to see the section; the API decides who may change what. */
  needs: Permission;
  group: SettingsGroup;
  /** Takes the width of the window, for two columns. */
  wide?: true;
}

export const SETTINGS_SECTIONS: SettingsSection[] = [
  {
    href: "/settings/appearance",
    label: "Appearance",
    description: "Theme, dates and numbers",
    icon: Palette,
    needs: "account:use",
    group: "You",
  },
  {
    href: "/settings/keyboard",
    label: "Keyboard",
    description: "Single-key shortcuts",
    icon: Keyboard,
    needs: "account:use",
    group: "You",
  },
  {
    href: "/settings/security",
    label: "Security",
    description: "Password, two-step sign-in, passkeys, sessions",
    icon: ShieldCheck,
    needs: "account:use",
    group: "You",
  },
  {
    href: "/settings/channels",
    label: "Channels",
    description: "Notifications in the app, by e-mail, push, Slack and Teams",
    icon: Bell,
    needs: "account:use",
    group: "You",
  },
  {
    href: "/settings/policy",
    label: "Policy",
    description: "Who has to agree on which requests",
    icon: Vote,
    needs: "settings:manage",
    group: "Approvals",
    wide: true,
  },
  {
    href: "/settings/call-rules",
    label: "Call rules",
    description: "Which calls need an approval first",
    icon: ListChecks,
    needs: "settings:manage",
    group: "Approvals",
  },
  {
    href: "/settings/standing-approvals",
    label: "Approvals for a while",
    description: "Calls that agents may make again without asking",
    icon: Timer,
    needs: "requests:answer",
    group: "Approvals",
  },
  {
    href: "/settings/groups",
    label: "Groups",
    description: "Who is meant by a name in the policy",
    icon: UsersRound,
    needs: "settings:manage",
    group: "Approvals",
  },
  {
    href: "/settings/calendar",
    label: "Calendar",
    description: "Working hours and holidays",
    icon: CalendarClock,
    needs: "settings:manage",
    group: "Approvals",
  },
  {
    href: "/settings/away",
    label: "Away",
    description: "Who votes for you while you are away",
    icon: CalendarOff,
    needs: "requests:answer",
    group: "Approvals",
  },
  {
    href: "/settings/answers",
    label: "Answers",
    description: "Reasons for declining, and time to undo",
    icon: MessageSquareX,
    needs: "settings:manage",
    group: "Approvals",
  },
  {
    href: "/settings/members",
    label: "Members",
    description: "People, roles, invitations",
    icon: Users,
    needs: "members:manage",
    group: "People and sign-in",
  },
  {
    href: "/settings/sign-in",
    label: "Sign-in",
    description: "Single sign-on, second factor, domains",
    icon: LogIn,
    needs: "settings:manage",
    group: "People and sign-in",
  },
  {
    href: "/settings/saml",
    label: "SAML",
    description: "Sign in through your identity provider",
    icon: IdCard,
    needs: "saml:read",
    group: "People and sign-in",
  },
  {
    href: "/settings/api-keys",
    label: "API keys",
    description: "Keys for programs",
    icon: KeyRound,
    needs: "keys:manage",
    group: "Integrations",
  },
  {
    href: "/settings/webhooks",
    label: "Webhooks",
    description: "Send events to other systems",
    icon: Webhook,
    needs: "webhooks:manage",
    group: "Integrations",
  },
  {
    href: "/settings/slack",
    label: "Slack",
    description: "Tell members in Slack what waits for them",
    icon: MessageSquareText,
    needs: "settings:manage",
    group: "Integrations",
  },
  {
    href: "/settings/teams",
    label: "Teams",
    description: "Tell members in Microsoft Teams what waits for them",
    icon: MessagesSquare,
    needs: "settings:manage",
    group: "Integrations",
  },
  {
    href: "/settings/directory",
    label: "Directory (SCIM)",
    description: "People and groups from your identity provider",
    icon: FolderSync,
    needs: "directory:manage",
    group: "Integrations",
  },
  {
    href: "/settings/audit-streams",
    label: "Audit stream",
    description: "Send the history to a place outside",
    icon: ScrollText,
    needs: "audit:manage",
    group: "Integrations",
  },
  {
    href: "/settings/organization",
    label: "Organization",
    description: "Name, rules for everybody, export, deleting",
    icon: Building2,
    needs: "settings:read",
    group: "Data",
  },
  {
    href: "/settings/retention",
    label: "Retention",
    description: "How long data is kept",
    icon: Hourglass,
    needs: "settings:manage",
    group: "Data",
  },
];
