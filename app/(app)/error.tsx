"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ErrorView } from "@/components/shell/error-view.tsx";

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
  return <ErrorView error={error} reset={again} />;
}
