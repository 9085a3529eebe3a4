"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { NAV_ITEMS } from "@/components/shell/nav-items.ts";
import { afterG } from "./key-press.ts";

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
