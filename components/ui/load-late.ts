const SIGNS = ["pointermove", "pointerdown", "keydown", "focusin", "wheel", "touchstart"] as const;
const AGAIN_MS = 3_000;
const TRIES = 5;

/**
 * Loads what the first view does not need as soon as someone begins to use the page: nobody waits for a menu, and
 * the page is there before it. Call it once, where a module is loaded.
 */
export function loadWhenTouched(load: () => Promise<unknown>) {
  if (typeof window === "undefined") return;
  // A load that fails now is tried again when it is wanted.
  onFirstTouch(() => void load().catch(() => undefined));
}

/** Calls back at the next sign that someone uses the page. Returns how to stop. */
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
 * Loads what is wanted now, with patience: the network may be away for a moment, and offline it waits for as long as that
 * lasts, so that what is typed stays on the page. Throws what failed at last.
 */
export async function insist<T>(load: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; ) {
    try {
      return await load();
    } catch (error) {
      if (navigator.onLine && --left === 0) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
