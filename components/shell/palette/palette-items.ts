"use client";

import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import type { PaletteCommand } from "@/components/shell/palette/palette-commands.ts";
import { useMe } from "@/components/shell/session/me.tsx";

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

/** As `matching()`; where nothing matches, returns what would if a letter or two were typed otherwise, the nearest first. */
export function nearlyMatching<T extends Pick<PaletteItem, "label" | "group" | "words">>(
  items: T[],
  text: string,
): T[] {
  const exact = matching(items, text);
  if (exact.length > 0) return exact;
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items
    .map((item) => {
      const words = `${item.label} ${item.group} ${item.words ?? ""}`.toLowerCase().split(/[^\p{L}\p{N}]+/u);
      return { item, edits: wanted.reduce((sum, word) => sum + editsTo(word, words), 0) };
    })
    .filter(({ edits }) => edits < Infinity)
    .sort((one, other) => one.edits - other.edits)
    .map(({ item }) => item);
}

/**
 * The fewest edits that make a word the beginning of one of these; Infinity for more than a typo. Short words, and names with
 * figures, have to be as typed.
 */
function editsTo(word: string, words: string[]): number {
  const most = /\d/.test(word) || word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
  const edits = Math.min(
    ...words.map((each) => {
      if (each.includes(word)) return 0;
      const isSwapped = each[0] === word[1] && each[1] === word[0];
      return each[0] === word[0] || isSwapped ? editsToBeginning(word, each) : Infinity;
    }),
  );
  return edits <= most ? edits : Infinity;
}

/** The fewest letters added, left out, changed or swapped with the next that make `word` a beginning of `text`. */
function editsToBeginning(word: string, text: string): number {
  let before: number[] = [];
  let row = Array.from({ length: text.length + 1 }, (_, at) => at);
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= text.length; j++) {
      const same = word[i - 1] === text[j - 1];
      const swapped = i > 1 && j > 1 && word[i - 1] === text[j - 2] && word[i - 2] === text[j - 1];
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (same ? 0 : 1),
        swapped ? before[j - 2]! + 1 : Infinity,
      );
    }
    before = row;
    row = next;
  }
  return Math.min(...row);
}

/** Groups items, in the order of each group's first item. */
export function grouped(items: PaletteItem[]): PaletteGroup[] {
  const groups = new Map<string, PaletteItem[]>();
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...groups].map(([title, members]) => ({ title, items: members }));
}

const MOST = 4;

export interface Recent {
  id: string;
  label: string;
  /** The page of the item; commands have none and are matched by id. */
  href?: string;
}

/**
 * Recently chosen items, newest first. Kept in session storage, so that request names do not outlive the
 * tab.
 */
export function useRecent() {
  const me = useMe();
  const key = `intray:recent:${me.user.id}:${me.organization.id}`;
  const [items, setItems] = useState<Recent[]>(() => read(key));
  return {
    items,
    remember({ id, label, href }: PaletteItem) {
      const next = [{ id, label, ...(href && { href }) }, ...items.filter((each) => each.id !== id)];
      setItems(next.slice(0, MOST));
      sessionStorage.setItem(key, JSON.stringify(next.slice(0, MOST)));
    },
  };
}

function read(key: string): Recent[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRecent) : [];
  } catch {
    return []; // not written by Intray
  }
}

function isRecent(value: Partial<Recent> | null): value is Recent {
  const hrefFits = value?.href === undefined || value.href.startsWith("/");
  return typeof value?.id === "string" && typeof value.label === "string" && hrefFits;
}
