"use client";

import { useEffect, useRef } from "react";

/**
 * Single keys for the page: `{j: next, escape: back}`. They rest while someone types, while a dialog or a menu is
 * open, and when a modifier is held.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (document.querySelector("[role=dialog], [role=alertdialog], [role=menu]")) return;
      if (isTyping(event.target) && event.key !== "Escape") return;
      const act = latest.current[event.key.toLowerCase()];
      if (!act) return;
      act(event);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT") return true;
  // Ticking a box or choosing one of several is not typing, but arrow keys and letters belong to the field.
  return target.tagName === "INPUT";
}
