"use client";

import { Keyboard, LogOut, Search, Settings } from "lucide-react";
import { MORE_ITEMS } from "@/components/shell/nav-items.ts";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { leave, switchOrganization } from "@/components/shell/session/leave.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { unreadWords, useUnread } from "@/components/shell/session/use-counts.ts";
import { useTheme } from "@/components/shell/use-theme.ts";
import { Link } from "@/components/ui/link.tsx";
import { MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { capitalise } from "@/lib/text/labels.ts";

const THEMES = ["light", "dark", "system"].map((value) => ({ value, label: capitalise(value) }));

/** The user menu: account, theme, notifications and sign-out. */
export function UserMenuItems() {
  const me = useMe();
  const { theme = "system", setTheme } = useTheme();
  const unread = useUnread();
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
          <OrganizationItems />
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
      {MORE_ITEMS.filter(({ needs }) => me.may(needs)).map(({ href, label, icon: Icon }) => (
        <MenuItem key={href} asChild className="md:hidden">
          <Link href={href}>
            <Icon aria-hidden strokeWidth={1.75} />
            {label}
            {href === "/notices" && unread > 0 && (
              <span className="ml-auto text-[13px] text-muted tabular-nums">
                {unreadWords(unread)}
                <span className="sr-only"> unread</span>
              </span>
            )}
          </Link>
        </MenuItem>
      ))}
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

/** The person's organizations, as a part of a menu. */
export function OrganizationItems() {
  const me = useMe();
  return (
    <>
      <MenuLabel>Organization</MenuLabel>
      <MenuChoices
        name="Organization"
        value={me.organization.id}
        onChange={(id) => void switchOrganization(id)}
        choices={me.organizations.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </>
  );
}
