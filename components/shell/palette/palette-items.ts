import type { LucideIcon } from "lucide-react";
import type { PaletteCommand } from "@/components/shell/palette/palette-commands.ts";

export interface PaletteItem extends PaletteCommand {
  icon?: LucideIcon;
  /** Secondary text at the right. */
  detail?: string;
  /** Further words that the search matches. */
  words?: string;
  /** The page that the item leads to. Items with an href can reappear as recent ones. */
  href?: string;
}

export interface PaletteGroup {
  title: string;
  items: PaletteItem[];
}

/** Returns the items that contain every word of `text`; items whose label begins with `text` come first. */
export function matching<T extends Pick<PaletteItem, "label" | "group" | "words">>(
  items: T[],
  text: string,
): T[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    const searched = `${item.label} ${item.group} ${item.words ?? ""}`.toLowerCase();
    return wanted.every((word) => searched.includes(word));
  });
  const leads = (item: T) => item.label.toLowerCase().startsWith(wanted[0] ?? "");
  return [...found.filter(leads), ...found.filter((item) => !leads(item))];
}

/** Groups items, in the order of each group's first item. */
export function grouped(items: PaletteItem[]): PaletteGroup[] {
  const groups = new Map<string, PaletteItem[]>();
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...groups].map(([title, members]) => ({ title, items: members }));
}
