"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/**
 * Moves the focus to the heading after a navigation, so that Tab and screen readers continue from there
 * instead of the old link. Next announces the page's title itself. All requests of the inbox count as one
 * page.
 */
export function useRouteFocus() {
  const pathname = usePathname();
  const page = pathname.startsWith("/inbox") ? "/inbox" : pathname;
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    const main = document.getElementById("main");
    // The page may have set the focus itself.
    if (main !== document.activeElement && main?.contains(document.activeElement)) return;
    focusPage();
  }, [page]);
}

/** Focuses the page's heading, or the main element if there is no heading. */
function focusPage() {
  const main = document.getElementById("main");
  const heading = main?.querySelector("h1");
  if (heading) heading.tabIndex = -1;
  (heading ?? main)?.focus({ preventScroll: true });
}
