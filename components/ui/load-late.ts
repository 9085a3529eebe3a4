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
