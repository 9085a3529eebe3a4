"use client";

import { TriangleAlert } from "lucide-react";
import { usePathname } from "next/navigation";
import { useMe } from "@/components/shell/session/me.tsx";
import { useWatchedConnection } from "@/lib/api-client/base/use-connection.ts";
import { TROUBLE_WORDS } from "@/lib/format/trouble.ts";

const NOT_LIVE = "Live updates are off. Refreshing every 30 seconds.";

/** Says why the page cannot reach Intray, and the consequence for decisions. */
export function ConnectionBar() {
  const me = useMe();
  const pathname = usePathname();
  const trouble = useWatchedConnection(me.user.id);
  return (
    // Always mounted: a live region announces only content added later.
    <div role="status">
      {trouble && (
        <p className="flex items-center justify-center gap-2 border-wait/30 border-b bg-wait-soft px-4 py-1.5 text-[13px] text-wait">
          <TriangleAlert aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
          {trouble === "signed_out" ? (
            <span className="flex flex-wrap items-center gap-x-2">
              <span>You were signed out. What you typed is still here.</span>
              <a
                href={`/sign-in?callbackUrl=${encodeURIComponent(pathname)}`}
                target="_blank"
                rel="noopener"
                className="font-medium underline underline-offset-4 max-md:py-3"
              >
                Sign in again
                <span className="sr-only"> in a new tab</span>
              </a>
            </span>
          ) : (
            <span>
              {trouble === "not_live" ? NOT_LIVE : `${TROUBLE_WORDS[trouble]} What you see may be old.`}
            </span>
          )}
        </p>
      )}
    </div>
  );
}
