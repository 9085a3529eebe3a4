"use client";

import { useEffect } from "react";

/** Calls `leave` when the page is hidden or goes away, and when the part of it that asks is taken away. */
export function useLeaving(leave: () => void) {
  useEffect(() => {
    // On a phone a hidden page may never come back, and is not told that it ends.
    const onHide = () => document.visibilityState === "hidden" && leave();
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onHide);
      leave();
    };
  }, [leave]);
}
