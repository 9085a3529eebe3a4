"use client";

import { Keyboard, LogOut, Search, Settings } from "lucide-react";
import Link from "next/link";
import { useTheme } from "next-themes";
import { leave } from "@/components/shell/leave.ts";
import { useMe } from "@/components/shell/me.tsx";
import { openOverlay } from "@/components/shell/overlays.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/menu.tsx";
import { capitalise } from "@/lib/format/labels.ts";

const THEMES = ["light", "dark", "system"].map((value) => ({ value, label: capitalise(value) }));

export function UserMenu({ labelled = false }: { labelled?: boolean }) {
  const me = useMe();
  const { theme = "system", setTheme } = useTheme();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`${me.user.name}: account and appearance`}
          className={cn(
            "flex items-center gap-2.5 rounded-lg",
            labelled
              ? "h-9 w-full px-1.5 text-muted hover:bg-sunken hover:text-ink max-lg:justify-center"
              : "size-11 justify-center",
          )}
        >
          <span
            aria-hidden
            className="grid size-6 shrink-0 place-items-center rounded-full border border-line bg-sunken font-semibold text-[11px] text-ink"
          >
            {me.user.name.charAt(0).toUpperCase()}
          </span>
          {labelled && <span className="truncate max-lg:hidden">{me.user.name}</span>}
        </button>
      }
    >
      <MenuLabel>
        <span className="block truncate font-medium text-ink text-sm">{me.user.name}</span>
        <span className="block truncate">{me.user.email}</span>
        <span className="block">
          {capitalise(me.role)} of {me.organization.name}
        </span>
      </MenuLabel>
      <MenuSeparator />
      <MenuLabel>Appearance</MenuLabel>
      <MenuChoices value={theme} onChange={setTheme} choices={THEMES} />
      <MenuSeparator />
      <MenuItem onSelect={() => openOverlay("palette")}>
        <Search aria-hidden strokeWidth={1.75} />
        Search and commands
      </MenuItem>
      <MenuItem asChild>
        <Link href="/settings/appearance">
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
    </Menu>
  );
}
