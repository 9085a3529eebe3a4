"use client";

import { type RefObject, useEffect, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { useTimeLeft } from "@/components/time/time-left.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";

/** On a phone, a one-line summary of the request once the question has been scrolled away. */
export function StickySummary({
  request,
  scroller,
}: {
  request: InputRequestDetail;
  scroller: RefObject<HTMLElement | null>;
}) {
  const [away, setAway] = useState(false);
  const formats = useFormats();
  useEffect(() => {
    const title = document.getElementById("request-title");
    if (!title) return;
    const observer = new IntersectionObserver(([entry]) => setAway(entry?.isIntersecting === false), {
      root: scroller.current,
    });
    observer.observe(title);
    return () => observer.disconnect();
  }, [scroller]);
  // Hidden from screen readers, because the header says the same.
  return (
    <div aria-hidden className="sticky top-0 z-10 h-0 md:hidden">
      <p
        className={cn(
          "flex items-baseline gap-2 border-line border-b bg-panel px-4 py-2.5 text-[13px] transition-opacity duration-100",
          away ? "opacity-100" : "pointer-events-none opacity-0",
        )}
      >
        <span className="truncate text-muted">{request.server.name}</span>
        <span className="min-w-0 truncate font-medium">
          <PlainText text={request.label ?? request.tool} />
        </span>
        <span className="ml-auto shrink-0 font-semibold tabular-nums">
          {request.amount && formats.amount(request.amount)}
        </span>
        {request.state === "open" && request.expiresAt && <Left until={request.expiresAt} />}
      </p>
    </div>
  );
}

function Left({ until }: { until: string }) {
  const { words, short, near } = useTimeLeft(until);
  const colour = short ? "text-bad" : near ? "text-wait" : "text-muted";
  return <span className={cn("shrink-0 tabular-nums", colour)}>{words}</span>;
}
