"use client";

import { ErrorView } from "@/components/shell/error-view.tsx";

export default function ErrorPage(props: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="flex min-h-dvh">
      <ErrorView {...props} />
    </main>
  );
}
