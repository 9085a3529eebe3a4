"use client";

import { useState } from "react";
import type { PaletteItem } from "@/components/shell/palette/palette-items.ts";
import { useMe } from "@/components/shell/session/me.tsx";

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
