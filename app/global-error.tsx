"use client";

import { useEffect, useState } from "react";
import { ErrorId, PLAIN_BUTTON } from "@/components/shell/pages/plain-view.tsx";
import "./globals.css";

/** Shown when the root layout fails. Bundled with every page, so only a few words, an id to quote and a reload. */
export default function GlobalErrorPage({ error }: { error: Error & { digest?: string } }) {
  const [ownId, setOwnId] = useState<string | null>(null);
  // As in error-view.tsx: an error of the browser has no digest, and gets an id once it stands in the log.
  useEffect(() => {
    if (error.digest) return;
    let isCurrent = true;
    import("@/components/shell/pages/report-failure.ts")
      .then(({ reportFailure }) => reportFailure(error))
      .then((id) => isCurrent && setOwnId(id))
      // Scripts that cannot be loaded are what brings people here: then there is no id.
      .catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [error]);
  const id = error.digest ?? ownId;
  return (
    <html lang="en">
      <body>
        <title>This page could not be shown · Intray</title>
        <main className="flex min-h-dvh flex-col items-center justify-center gap-3 px-6 text-center">
          <h1 className="font-medium">This page could not be shown</h1>
          <p className="max-w-sm text-[13px] text-muted">
            Nothing was lost: tasks, requests and answers are kept on the server, not on this page.
            {id && <ErrorId id={id} />}
          </p>
          <button type="button" className={PLAIN_BUTTON} onClick={() => location.reload()}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
