"use client";

import { ErrorView } from "@/components/shell/error-view.tsx";

/** Inside the shell: the ways to everywhere else stay. */
export default function AppErrorPage(props: { error: Error & { digest?: string }; reset: () => void }) {
  return <ErrorView {...props} />;
}
