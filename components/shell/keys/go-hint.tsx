"use client";

import { useEffect } from "react";
import { NAV_ITEMS } from "@/components/shell/nav-items.ts";
import { Kbd } from "@/components/ui/kbd.tsx";

/** How long the second key counts after G. */
const GO_MS = 2_000;

/**
 * The keys that may follow G, shown while G waits for a second key. The time begins when they are shown: the first time they
 * are loaded by then.
 */
export function GoHint({ onEnd }: { onEnd: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onEnd, GO_MS);
    return () => clearTimeout(timer);
  }, [onEnd]);
  return (
    <p
      role="status"
      className="appear -translate-x-1/2 pointer-events-none fixed bottom-20 left-1/2 z-40 flex items-center gap-4 rounded-lg border border-line bg-panel px-3.5 py-2 text-[13px] shadow-pop"
    >
      <span className="text-muted">Go to</span>
      {NAV_ITEMS.map((item) => (
        <span key={item.href} className="flex items-center gap-1.5">
          <Kbd>{item.key.toUpperCase()}</Kbd>
          {item.label}
        </span>
      ))}
    </p>
  );
}
