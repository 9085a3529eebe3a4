"use client";

import { PLAIN_BUTTON } from "@/components/shell/pages/plain-button.ts";
import "./globals.css";

/** Shown when the root layout fails. Bundled with every page, so only a few words and a reload. */
export default function GlobalErrorPage({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <title>This page could not be shown · Intray</title>
        <main className="flex min-h-dvh flex-col items-center justify-center gap-3 px-6 text-center">
          <h1 className="font-medium">This page could not be shown</h1>
          <p className="max-w-sm text-[13px] text-muted">
            Nothing was lost: tasks, requests and answers are kept on the server, not on this page.
            {error.digest && ` Error ID: ${error.digest}`}
          </p>
          <button type="button" className={PLAIN_BUTTON} onClick={() => location.reload()}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
