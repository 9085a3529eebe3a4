"use client";

import { lazy, Suspense } from "react";

// Lazy, because every page bundles this file but hardly any needs the view. If loading fails,
// global-error.tsx renders.
const ErrorView = lazy(() =>
  import("@/components/shell/pages/error-view.tsx").then((file) => ({ default: file.ErrorView })),
);

export default function ErrorPage(props: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="flex min-h-dvh">
      <Suspense>
        <ErrorView {...props} />
      </Suspense>
    </main>
  );
}
