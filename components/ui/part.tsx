"use client";

import { type ComponentType, createElement, type ReactNode, useEffect, useSyncExternalStore } from "react";
import { insist, loadWhenTouched } from "@/components/ui/load-late.ts";

const FORGET_MS = 1_000;

interface Arrival {
  /** Brings it; from then on it is drawn at once. */
  load: () => Promise<void>;
  isThere: () => boolean;
  subscribe: (listener: () => void) => () => void;
}

/** A component that is not part of the first load. */
export type Part<P> = ((props: P) => ReactNode) & Arrival;

/**
 * Makes a part of what `fetch` imports. Until it is there, `loading` stands for it where it is drawn. It is `warm`, that
 * is loaded as soon as someone begins to use the page, or else when it is first drawn. One that is `patient` waits for
 * that even where it is drawn, since nothing of it is seen before.
 */
export function part<P extends object>(
  fetch: () => Promise<ComponentType<P>>,
  {
    loading,
    warm = false,
    patient = false,
  }: { loading?: () => ReactNode; warm?: boolean; patient?: boolean } = {},
): Part<P> {
  let there: ComponentType<P> | null = null;
  let coming: Promise<void> | null = null;
  let failure: { error: unknown } | null = null;
  const listeners = new Set<() => void>();
  const arrival: Arrival = {
    load: () => {
      coming ??= insist(fetch)
        .then((component) => {
          there = component;
        })
        .catch((error: unknown) => {
          failure = { error };
          coming = null;
          // The page says so; drawn again, by “Try again”, it is asked for again.
          setTimeout(() => {
            failure = null;
          }, FORGET_MS);
        })
        .finally(() => {
          for (const listener of listeners) listener();
        });
      return coming;
    },
    isThere: () => there !== null || failure !== null,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  if (warm || patient) loadWhenTouched(arrival.load);

  // biome-ignore lint/correctness/noComponentHookFactories: made once, where a module is loaded
  const Drawn = (props: P) => {
    const arrived = useParts([arrival], patient);
    if (arrived && there) return createElement(there, props);
    if (arrived && failure) throw failure.error;
    return loading?.();
  };
  return Object.assign(Drawn, arrival);
}

/** Whether all of these are there; if not, they are brought. To draw a whole at once, and not piece by piece. */
export function useParts(parts: Arrival[], patient = false): boolean {
  const all = useSyncExternalStore(
    (listener) => {
      const stops = parts.map((each) => each.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    () => parts.every((each) => each.isThere()),
    // The server never has them, so neither has the first drawing of its page.
    () => parts.length === 0,
  );
  useEffect(() => {
    if (!all && !patient) for (const each of parts) void each.load();
  });
  return all;
}
