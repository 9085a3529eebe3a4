"use client";

import { useLayoutEffect } from "react";

/**
 * The tab's title, with the count that matters: `Inbox (12) · Intray`. Next writes the page's own title when that
 * arrives, on a slow machine after this one: it is put right again. As a layout effect, so that it is over before the
 * next page's title comes.
 */
export function useTitle(title: string) {
  useLayoutEffect(() => {
    const write = () => {
      const whole = `${title} · Intray`;
      if (document.title !== whole) document.title = whole;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [title]);
}
