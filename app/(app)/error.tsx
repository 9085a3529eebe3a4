"use client";

import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

// Lazy, as in the error page around this one.
const ErrorView = lazy(() =>
  import("@/components/shell/pages/error-view.tsx").then((file) => ({ default: file.ErrorView })),
);

/** The error page inside the shell, so that the navigation stays. */
export default function AppErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  const client = useQueryClient();
  // Cached data may be the cause: rendering it again would fail again.
  const again = () => {
    client.removeQueries();
    reset();
  };
  return (
    <Suspense>
      <ErrorView error={error} reset={again} />
    </Suspense>
  );
}
