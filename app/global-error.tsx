"use client";

import { ErrorView } from "@/components/shell/error-view.tsx";
import "./globals.css";

/** When even the frame of all pages failed. */
export default function GlobalErrorPage(props: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <main className="flex min-h-dvh">
          <ErrorView {...props} />
        </main>
      </body>
    </html>
  );
}
