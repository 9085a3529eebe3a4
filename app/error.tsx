"use client";

import { lazy, Suspense } from "react";

// It comes with every page and is hardly ever needed. Where it cannot be loaded, the global error page stands in.
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
