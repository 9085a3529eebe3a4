"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { ApiError } from "@/lib/web/client/base/client.ts";

/** A part of the page that could not be loaded: the error, a retry, and an id to quote. */
export function LoadFailure({ what, error, onRetry }: { what: string; error: Error; onRetry: () => void }) {
  const api = error instanceof ApiError ? error : null;
  return (
    <Notice
      tone="bad"
      title={`${what} could not be loaded`}
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      <p>
        {api?.sentence ?? "Intray can’t be reached."}
        {api?.code !== "database_unavailable" && " Nothing was changed or lost."}
      </p>
      {api?.requestId && <p className="text-xs text-muted">Quote {api.requestId} if you ask for help.</p>}
    </Notice>
  );
}

/** Stands in for what a query has not read yet: why that failed, else a skeleton of this height. */
export function Unread({
  what,
  query: { error, refetch },
  className,
  children = <div aria-hidden className={cn("skeleton", className)} />,
}: {
  what: string;
  query: { error: Error | null; refetch: () => unknown };
  className?: string;
  /** Another skeleton. */
  children?: ReactNode;
}) {
  if (!error) return children;
  return <LoadFailure what={what} error={error} onRetry={() => void refetch()} />;
}
