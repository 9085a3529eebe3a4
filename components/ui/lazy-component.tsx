"use client";

import { type ComponentType, createElement, type ReactNode, useEffect, useSyncExternalStore } from "react";

/** How long a failed load is reported before a retry is possible. */
const FORGET_FAILURE_MS = 1_000;

interface Loader {
  load: () => Promise<void>;
  /** True also after a failed load; rendering the component then throws the error. */
  isSettled: () => boolean;
  subscribe: (listener: () => void) => () => void;
}

/** A component that is not part of the first load. Renders at once when loaded. */
export type LazyComponent<P> = ((props: P) => ReactNode) & Loader;

/**
 * Makes a component of the module that `importComponent` loads. Declare it beside the parent that renders it.
 *
 * - `loading` renders until the component is loaded.
 * - `warm` loads the component at the first sign of use; by default the first render does.
 * - `patient` loads the component only at the first sign of use, even if rendered before, because nothing of
 *   it is visible until then.
 */
export function lazyComponent<P extends object>(
  importComponent: () => Promise<ComponentType<P>>,
  {
    loading,
    warm = false,
    patient = false,
  }: { loading?: (props: P) => ReactNode; warm?: boolean; patient?: boolean } = {},
): LazyComponent<P> {
  let loaded: ComponentType<P> | null = null;
  let underWay: Promise<void> | null = null;
  let failure: { error: unknown } | null = null;
  const listeners = new Set<() => void>();
  const loader: Loader = {
    load: () => {
      underWay ??= loadWithRetry(importComponent)
        .then((component) => {
          loaded = component;
        })
        .catch((error: unknown) => {
          failure = { error };
          underWay = null;
          // The page reports the error. “Try again” renders the component again, which loads it again.
          setTimeout(() => {
            failure = null;
          }, FORGET_FAILURE_MS);
        })
        .finally(() => {
          for (const listener of listeners) listener();
        });
      return underWay;
    },
    isSettled: () => loaded !== null || failure !== null,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  if (warm || patient) loadWhenTouched(loader.load);

  // biome-ignore lint/correctness/noComponentHookFactories: made once, where a module is loaded
  const Lazy = (props: P) => {
    const settled = useLazyComponents([loader], patient);
    if (settled && loaded) return createElement(loaded, props);
    if (settled && failure) throw failure.error;
    return loading?.(props);
  };
  return Object.assign(Lazy, loader);
}

/**
 * Loads all components and returns whether they are loaded, so that a page renders all of them at the same time.
 */
export function useLazyComponents(components: Loader[], patient = false): boolean {
  const settled = useSyncExternalStore(
    (listener) => {
      const stops = components.map((each) => each.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    () => components.every((each) => each.isSettled()),
    // The server renders without the components, so the browser's first render of that page must be without them too.
    () => components.length === 0,
  );
  useEffect(() => {
    if (!settled && !patient) for (const each of components) void each.load();
  });
  return settled;
}

const SIGNS = ["pointermove", "pointerdown", "keydown", "focusin", "wheel", "touchstart"] as const;
const AGAIN_MS = 3_000;
const TRIES = 5;

/**
 * Loads code that the first view does not need at the first sign of use, so that a menu opens at once and the
 * page appears first. Call it once, at module level.
 */
export function loadWhenTouched(load: () => Promise<unknown>) {
  if (typeof window === "undefined") return;
  // A failed load is retried on use.
  onFirstTouch(() => void load().catch(() => undefined));
}

/** Calls back at the next sign of use. Returns a function that stops. */
export function onFirstTouch(listener: () => void): () => void {
  const stop = new AbortController();
  const start = () => {
    stop.abort();
    listener();
  };
  const options = { signal: stop.signal, passive: true, capture: true };
  for (const sign of SIGNS) window.addEventListener(sign, start, options);
  return () => stop.abort();
}

/**
 * Loads code that is needed now, with retries. While offline it waits for the network, so that typed text
 * stays on the page. Throws the last error.
 */
export async function loadWithRetry<T>(load: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; ) {
    try {
      return await load();
    } catch (error) {
      if (navigator.onLine && --left === 0) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
