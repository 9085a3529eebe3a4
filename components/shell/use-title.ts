"use client";

import { useLayoutEffect } from "react";
import { visibleText } from "@/lib/text/foreign/hidden.ts";

/**
 * Sets the tab's title, with a count: `Inbox (12) · Intray`. Next writes the page's own title, on slow
 * machines after this hook, so a later change is overwritten again. A layout effect, so that its cleanup runs
 * before the next page's title is set.
 */
export function useTitle(title: string) {
  useLayoutEffect(() => {
    const write = () => {
      const whole = `${visibleText(title)} · Intray`;
      if (document.title !== whole) document.title = whole;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [title]);
}
