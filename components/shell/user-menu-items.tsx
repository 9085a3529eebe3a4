"use client";

import { useQuery } from "@tanstack/react-query";
import { Bell, History, Keyboard, LogOut, Search, Settings } from "lucide-react";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { leave } from "@/components/shell/session/sign-out.ts";
import { switchOrganization } from "@/components/shell/session/switch-organization.ts";
import { useTheme } from "@/components/shell/use-theme.ts";
import { Link } from "@/components/ui/link.tsx";
import { MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { countWords } from "@/lib/outbound/notices/notice-words.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { noticeCounts } from "@/lib/web/client/notices.ts";

const THEMES = ["light", "dark", "system"].map((value) => ({ value, label: capitalise(value) }));

/** The user menu: account, theme, notifications and sign-out. */
export function UserMenuItems() {
  const me = useMe();
  const { theme = "system", setTheme } = useTheme();
  const unread = useQuery(noticeCounts()).data?.unread ?? 0;
  return (
    <>
      <MenuLabel>
        <span className="block truncate font-medium text-ink text-sm">{me.user.name}</span>
        <span className="block truncate">{me.user.email}</span>
        <span className="block">
          {capitalise(me.role)} of {me.organization.name}
        </span>
      </MenuLabel>
      <MenuSeparator />
      {me.organizations.length > 1 && (
        <>
          <MenuLabel>Organization</MenuLabel>
          <MenuChoices
            name="Organization"
            value={me.organization.id}
            onChange={(id) => void switchOrganization(id)}
            choices={me.organizations.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <MenuSeparator />
        </>
      )}
      <MenuLabel>Appearance</MenuLabel>
      <MenuChoices name="Appearance" value={theme} onChange={setTheme} choices={THEMES} />
      <MenuSeparator />
      <MenuItem onSelect={() => openOverlay("palette")}>
        <Search aria-hidden strokeWidth={1.75} />
        Search and commands
      </MenuItem>
      <MenuItem asChild>
        <Link href="/notices">
          <Bell aria-hidden strokeWidth={1.75} />
          Notifications
          {unread > 0 && (
            <span className="ml-auto text-[13px] text-muted tabular-nums">
              {countWords(unread)}
              <span className="sr-only"> unread</span>
            </span>
          )}
        </Link>
      </MenuItem>
      {me.may("events:read") && (
        <MenuItem asChild>
          <Link href="/activity">
            <History aria-hidden strokeWidth={1.75} />
            Activity
          </Link>
        </MenuItem>
      )}
      <MenuItem asChild>
        <Link href="/settings">
          <Settings aria-hidden strokeWidth={1.75} />
          Settings
        </Link>
      </MenuItem>
      <MenuItem onSelect={() => openOverlay("shortcuts")} className="max-md:hidden">
        <Keyboard aria-hidden strokeWidth={1.75} />
        Keyboard shortcuts
      </MenuItem>
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden strokeWidth={1.75} />
        Sign out
      </MenuItem>
    </>
  );
}
