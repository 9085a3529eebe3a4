"use client";

import { useEffect, useRef } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { areKeysLocked } from "@/components/ui/overlay/key-lock.tsx";

/**
 * Single keys for the page: `{j: next, escape: back, "shift+x": range}`, letters in lower case. They rest while
 * someone types, while a dialog or a menu is open, and when Ctrl, Alt or Meta is held. With single
 * keys switched off (WCAG 2.1.4) only those remain that write nothing, such as Escape and Enter.
 * `first`: these come before the page's others, which don't hear of a key that is handled here.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>, { first = false } = {}) {
  const { singleKeys } = useMe().preferences;
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (!singleKeys && event.key.length === 1) return;
      if (areKeysLocked()) return;
      if (isTyping(event.target) && event.key !== "Escape") return;
      const run = latest.current[nameOf(event)];
      if (run && first) event.preventDefault();
      run?.(event);
    };
    window.addEventListener("keydown", onKey, first);
    return () => window.removeEventListener("keydown", onKey, first);
  }, [singleKeys, first]);
}

/** `x`, `shift+x`, `?`, `escape`. Shift counts with letters and named keys; with signs it only makes them. */
function nameOf({ key, shiftKey }: KeyboardEvent): string {
  const shifted = shiftKey && (key.length > 1 || key.toLowerCase() !== key.toUpperCase());
  return (shifted ? "shift+" : "") + key.toLowerCase();
}

/** Ticking a box or choosing one of several is not typing, but arrow keys and letters belong to the field. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}
