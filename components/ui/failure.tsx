"use client";

import { Button } from "@/components/ui/button.tsx";
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
