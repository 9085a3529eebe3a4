"use client";

import { useEffect, useRef } from "react";
import { TimeAgo } from "@/components/time/time.tsx";
import type { ServerDetail } from "@/lib/servers/schema.ts";

/** The last lines of a command server's log. Focusable, so that the keyboard can scroll it. */
export function ServerLog({ log }: { log: NonNullable<ServerDetail["log"]> }) {
  const box = useRef<HTMLElement>(null);
  // Scrolls to the newest lines, at the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again with each new line
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log.tail]);
  return (
    <section aria-labelledby="log-heading" className="flex flex-col gap-2.5">
      <h2 id="log-heading" className="flex flex-wrap gap-x-2 font-medium text-[13px] text-muted">
        Log
        <span className="font-normal">
          last written <TimeAgo at={log.at} />
        </span>
      </h2>
      <section
        ref={box}
        aria-label="The server’s log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="scroll-quiet max-h-80 overflow-x-auto rounded-lg border border-line bg-panel px-3.5 py-3"
      >
        <pre className="font-mono text-xs leading-5">{log.tail}</pre>
      </section>
    </section>
  );
}
