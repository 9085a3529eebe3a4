const SIGNS = ["pointermove", "pointerdown", "keydown", "focusin"] as const;

/**
 * Loads what the first view does not need as soon as someone begins to use the page: nobody waits for a menu, and
 * the page is there before it. Call it once, where a module is loaded.
 */
export function loadWhenTouched(load: () => Promise<unknown>) {
  if (typeof window === "undefined") return;
  const stop = new AbortController();
  const start = () => {
    stop.abort();
    // A load that fails now is tried again when it is wanted.
    load().catch(() => undefined);
  };
  for (const sign of SIGNS) window.addEventListener(sign, start, { signal: stop.signal, passive: true });
}
