"use client";

import { type RefObject, useRef } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";

export type BulkKeys = Partial<Record<"a" | "r" | "d" | "c", () => void>>;

/**
 * A, R, D and C while requests are selected: they act on the selection, never on the open request. The bar
 * shows and handles the keys; until it is loaded they do nothing.
 */
export function useBulkKeys(selecting: boolean): RefObject<BulkKeys | null> {
  const bar = useRef<BulkKeys>(null);
  const key = (name: keyof BulkKeys) => () => bar.current?.[name]?.();
  const keys = { a: key("a"), r: key("r"), d: key("d"), c: key("c") };
  useShortcuts(selecting ? keys : {}, { first: true });
  return bar;
}
