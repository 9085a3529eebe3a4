"use client";

import {
  ArrowLeftRight,
  Hand,
  History,
  Keyboard,
  LogOut,
  MessageCirclePlus,
  Monitor,
  Moon,
  Plus,
  Sun,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { MORE_ITEMS, NAV_ITEMS } from "@/components/shell/nav-items.ts";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { paletteCommands } from "@/components/shell/palette/palette-commands.ts";
import {
  grouped,
  matching,
  nearlyMatching,
  type PaletteGroup,
  type PaletteItem,
  type Recent,
} from "@/components/shell/palette/palette-items.ts";
import { leave, switchOrganization } from "@/components/shell/session/leave.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { SETTINGS_SECTIONS } from "@/components/shell/settings-sections.ts";
import { useTheme } from "@/components/shell/use-theme.ts";

type Linked = Omit<PaletteItem, "run"> & { href: string };

/**
 * The palette's groups for `text`. Results of the server's search come last: inserted above, late results
 * would move the item that Enter is about to choose.
 */
export function usePaletteItems(text: string, found: Linked[], recent: Recent[]): PaletteGroup[] {
  const router = useRouter();
  const me = useMe();
  const { setTheme } = useTheme();
  const linked = (item: Linked): PaletteItem => ({ ...item, run: () => router.push(item.href) });

  const here: PaletteItem[] = paletteCommands();
  const places: PaletteItem[] = [
    ...NAV_ITEMS.map(({ href, label, icon, key }) =>
      linked({ id: href, href, label, icon, group: "Go to", keys: `G then ${key.toUpperCase()}` }),
    ),
    ...MORE_ITEMS.filter(({ needs }) => me.may(needs)).map(({ needs: _, below: __, ...item }) =>
      linked({ ...item, id: item.href, group: "Go to" }),
    ),
    ...SETTINGS_SECTIONS.filter((section) => me.may(section.needs)).map(
      ({ href, label, icon, description }) =>
        linked({ id: href, href, label: `Settings: ${label}`, icon, group: "Go to", words: description }),
    ),
  ];
  const commands: PaletteItem[] = [
    ...(me.may("tasks:start")
      ? [linked({ id: "/tasks/new", href: "/tasks/new", label: "Start a task", icon: Plus, group: "Do" })]
      : []),
    ...(me.may("requests:ask")
      ? [
          {
            id: "ask",
            label: "Ask somebody…",
            icon: MessageCirclePlus,
            group: "Do",
            words: "request approval question people",
            run: () => openOverlay("ask"),
          },
        ]
      : []),
    ...THEMES.map(({ theme, label, icon }) => ({
      id: `theme:${theme}`,
      label,
      icon,
      group: "Do",
      words: "appearance colour mode",
      run: () => setTheme(theme),
    })),
    {
      id: "shortcuts",
      label: "Show keyboard shortcuts",
      icon: Keyboard,
      group: "Do",
      keys: "?",
      words: "help keys",
      run: () => openOverlay("shortcuts"),
    },
    {
      id: "tour",
      label: "Show the first-visit cards again",
      icon: Hand,
      group: "Do",
      words: "tour help welcome",
      run: () => {
        me.prefer({ tourSeen: false }).then(
          () => router.push("/inbox"),
          () => undefined, // the connection bar reports the failure
        );
      },
    },
    ...me.organizations
      .filter(({ id }) => id !== me.organization.id)
      .map(({ id, name }) => ({
        id: `organization:${id}`,
        label: `Switch to ${name}`,
        icon: ArrowLeftRight,
        group: "Do",
        words: "change organization",
        run: () => void switchOrganization(id),
      })),
    { id: "sign-out", label: "Sign out", icon: LogOut, group: "Do", words: "leave log out", run: leave },
  ];

  if (text.trim() === "") {
    const known = [...here, ...places, ...commands];
    const before = recent.flatMap(({ id, label, href }): PaletteItem[] => {
      const again = known.find((item) => item.id === id);
      if (again) return [{ ...again, group: "Recent" }];
      return href ? [linked({ id, label, href, icon: History, group: "Recent" })] : [];
    });
    return [...grouped(here), ...grouped([...before, ...places, ...commands])];
  }
  return [
    // What is done to the open request is named as it is: no slip decides.
    ...grouped(matching(here, text)),
    ...grouped(nearlyMatching([...places, ...commands], text)),
    ...grouped(found.map(linked)),
  ];
}

const THEMES = [
  { theme: "light", label: "Use the light theme", icon: Sun },
  { theme: "dark", label: "Use the dark theme", icon: Moon },
  { theme: "system", label: "Follow the system’s theme", icon: Monitor },
];
