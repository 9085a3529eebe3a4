"use client";

import { createContext, useContext, useSyncExternalStore } from "react";

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

/** When the server drew the page, in ms: the browser's first drawing, which must be the same, is of that moment. */
export const DrawnAt = createContext<number | null>(null);

/**
 * The time in ms, moving in steps: a component that needs minutes is not drawn every second. A function gets the time
 * and says how long the step is then.
 */
export function useNow(step: number | ((now: number) => number) = 1_000): number {
  const drawnAt = useContext(DrawnAt);
  const read = (now: number) => {
    const stepMs = typeof step === "number" ? step : step(now);
    return Math.floor(now / stepMs) * stepMs;
  };
  return useSyncExternalStore(
    subscribe,
    () => read(Date.now()),
    () => read(drawnAt ?? Date.now()),
  );
}

const never = () => () => {};

/**
 * Whether this is drawn where the person's time zone is known. The server does not know it: until the browser has
 * taken over, what depends on it keeps its place and is not shown.
 */
export function useZoneKnown(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
