"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/**
 * After a way to another page the focus stands at its heading, so that Tab and a screen reader go on from there and
 * not from the link that was left behind. Next announces the page's title by itself. Requests of the inbox are one
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
    // The page may have put it somewhere itself.
    if (main !== document.activeElement && main?.contains(document.activeElement)) return;
    focusPage();
  }, [page]);
}

/** Puts the focus at the page's heading, else at the page. */
function focusPage() {
  const main = document.getElementById("main");
  const heading = main?.querySelector("h1");
  if (heading) heading.tabIndex = -1;
  (heading ?? main)?.focus({ preventScroll: true });
}
