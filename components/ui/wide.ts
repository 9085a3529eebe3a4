"use client";

import { useSyncExternalStore } from "react";

/** Tailwind's `md`: from this width on, columns stand side by side. */
const WIDE = "(min-width: 768px)";

/** Whether the viewport is wide now. Browser only. */
export function isWide(): boolean {
  return window.matchMedia(WIDE).matches;
}

/** Like `isWide`, updated on change. `guess`: the value rendered by the server. */
export function useWide(guess = true): boolean {
  return useSyncExternalStore(subscribe, isWide, () => guess);
}

function subscribe(listener: () => void): () => void {
  const media = window.matchMedia(WIDE);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}
