"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef, useState } from "react";
import { NAV_ITEMS } from "@/components/shell/nav-items.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { areKeysLocked } from "@/components/ui/overlay/key-lock.tsx";
import { afterG, heardAs } from "./key-press.ts";

/**
 * Single-key shortcuts of a page: `{j: next, escape: back, "shift+x": range}`, letters in lower case. They
 * are off while someone types, while a dialog or a menu is open, and while Ctrl, Alt or Meta is held. With
 * single keys switched off (WCAG 2.1.4) only keys that write no character remain, such as Escape and Enter.
 * `first`: handles keys before the page's other shortcuts, which do not receive a key handled here.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>, { first = false } = {}) {
  const { singleKeys } = useMe().preferences;
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const name = heardAs(event, {
        handled: event.defaultPrevented,
        singleKeys,
        locked: areKeysLocked(),
        typing: isTyping(event.target),
      });
      const run = name === null ? undefined : latest.current[name];
      if (run && first) event.preventDefault();
      run?.(event);
    };
    window.addEventListener("keydown", onKey, first);
    return () => window.removeEventListener("keydown", onKey, first);
  }, [singleKeys, first]);
}

/**
 * Whether the target takes keys itself, as checkboxes and radio buttons do: arrow keys and letters are
 * theirs.
 */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}

/** The activity has no place in the navigation. */
const PAGES = [...NAV_ITEMS, { key: "a", href: "/activity" }];

/**
 * G, then the key of a page. Returns whether G waits for the second key, and what ends that (the hint does, after a
 * while). No other handler gets the second key: G then D must not open the decline dialog of a request.
 */
export function useGoKeys(): [waiting: boolean, end: () => void] {
  const router = useRouter();
  const [waiting, setWaiting] = useState(false);
  const end = useCallback(() => setWaiting(false), []);
  useShortcuts({ g: () => setWaiting(true) });

  useEffect(() => {
    if (!waiting) return;
    const onKey = (event: KeyboardEvent) => {
      const next = afterG(event, PAGES);
      if (next === "wait") return;
      setWaiting(false);
      if (next === "leave") return;
      event.preventDefault();
      event.stopPropagation();
      if (next !== "end") router.push(next.href);
    };
    // The capture phase comes before all other handlers.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [waiting, router]);
  return [waiting, end];
}
