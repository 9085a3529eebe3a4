"use client";

import { TriangleAlert } from "lucide-react";
import { usePathname } from "next/navigation";
import { useMe } from "@/components/shell/session/me.tsx";
import { useWatchedConnection } from "@/lib/api-client/base/use-connection.ts";

const WORDS = {
  offline:
    "You are offline. What you see may be old; decisions are refused until you are back, and none waits here.",
  unreachable: "Intray cannot be reached. What you see may be old; decisions are refused until it is back.",
  database: "Intray’s database is away. Nothing is lost; decisions are refused until it is back.",
  not_live: "Changes do not arrive by themselves just now. The page reads anew every half minute.",
};

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
            <span>{WORDS[trouble]}</span>
          )}
        </p>
      )}
    </div>
  );
}
