"use client";

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time in ms, moving in steps: a component that needs minutes is not drawn every second. */
export function useNow(stepMs = 1_000): number {
  const read = () => Math.floor(Date.now() / stepMs) * stepMs;
  return useSyncExternalStore(subscribe, read, read);
}
