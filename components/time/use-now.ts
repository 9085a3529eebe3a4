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

/**
 * When the server rendered the page, in ms. Hydration must render the same text, so its first render uses
 * this instant.
 */
export const DrawnAt = createContext<number | null>(null);

/**
 * The current time in ms, rounded down to a step, so that a component that shows minutes does not render
 * every second. A function derives the step from the time.
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
 * Whether the user's time zone is known. The server does not know the zone: until hydration, text that
 * depends on it keeps its space but is invisible.
 */
export function useZoneKnown(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
