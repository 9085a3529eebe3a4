"use client";

import { CloudAlert } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";

export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <main className="grid min-h-full flex-1 place-items-center">
      <title>Something went wrong · Intray</title>
      <h1 className="sr-only">Something went wrong</h1>
      <Empty
        icon={CloudAlert}
        title="This page could not be shown"
        action={
          <Button variant="primary" onClick={reset}>
            Try again
          </Button>
        }
      >
        Nothing was lost: tasks, questions and answers live on the server, not on this page.
        {error.digest && ` Quote ${error.digest} if you ask for help.`}
      </Empty>
    </main>
  );
}
