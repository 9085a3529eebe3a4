"use client";

import { useEffect } from "react";

/** The tab's title, with the count that matters: `Inbox (12) · Intray`. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Intray`;
  }, [title]);
}
