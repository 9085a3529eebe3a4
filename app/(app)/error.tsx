"use client";

import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

// As in the error page around this one.
const ErrorView = lazy(() =>
  import("@/components/shell/pages/error-view.tsx").then((file) => ({ default: file.ErrorView })),
);

/** Inside the shell: the ways to everywhere else stay. */
export default function AppErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  const client = useQueryClient();
  // What was read may be what failed: drawn from memory it would only fail again.
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
