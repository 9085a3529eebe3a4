"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { NAV_ITEMS } from "@/components/shell/nav-items.ts";

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
      if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      setWaiting(false);
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const key = event.key.toLowerCase();
      const item = NAV_ITEMS.find((each) => each.key === key);
      if (item || key === "a") router.push(item ? item.href : "/activity");
    };
    // The capture phase comes before all other handlers.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [waiting, router]);
  return [waiting, end];
}
