"use client";

import { useEffect } from "react";
import { NAV_ITEMS } from "@/components/shell/nav-items.ts";
import { timing } from "@/components/timings.ts";
import { Kbd } from "@/components/ui/kbd.tsx";

/**
 * Shows the keys that may follow G while G waits for a second key. The wait begins when they are shown, because
 * this file is loaded with the first G.
 */
export function GoHint({ onEnd }: { onEnd: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onEnd, timing("go"));
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
