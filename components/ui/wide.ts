"use client";

import { useSyncExternalStore } from "react";

/** Tailwind's `md`: from here on things stand side by side. */
const WIDE = "(min-width: 768px)";

/** Whether there is room for things side by side, at this moment. Only in the browser. */
export function isWide(): boolean {
  return window.matchMedia(WIDE).matches;
}

/** As `isWide`, and followed. `guess`: what the server draws. */
export function useWide(guess = true): boolean {
  return useSyncExternalStore(subscribe, isWide, () => guess);
}

function subscribe(listener: () => void): () => void {
  const media = window.matchMedia(WIDE);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}
