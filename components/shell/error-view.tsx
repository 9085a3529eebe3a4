"use client";

import { CloudAlert, DatabaseZap } from "lucide-react";
import { useRouter } from "next/navigation";
import { startTransition, useEffect } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { DATABASE_AWAY } from "@/lib/format/page-failure.ts";

const AGAIN_MS = 5_000;

/** A page that could not be shown: what happened, what was not lost, what to do, and an id to quote. */
export function ErrorView({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const router = useRouter();
  const away = error.digest === DATABASE_AWAY;
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => retry(router, reset), AGAIN_MS);
    return () => clearInterval(timer);
  }, [away, router, reset]);
  const title = away ? "Intray is away for a moment" : "This page could not be shown";
  return (
    <div className="grid flex-1 place-items-center">
      <title>{`${title} · Intray`}</title>
      <Empty
        heading="h1"
        icon={away ? DatabaseZap : CloudAlert}
        title={title}
        action={
          <Button variant="primary" onClick={() => retry(router, reset)}>
            Try again
          </Button>
        }
      >
        {away
          ? "Its database cannot be reached. Nothing is lost, and the page comes back by itself."
          : "Nothing was lost: tasks, questions and answers live on the server, not on this page."}
        {error.digest && !away && (
          <>
            {" "}
            If you ask for help, quote <code className="select-all font-mono">{error.digest}</code>.
          </>
        )}
      </Empty>
    </div>
  );
}

/** The server's part is asked for again too; drawing the same answer anew would only fail once more. */
function retry(router: ReturnType<typeof useRouter>, reset: () => void) {
  startTransition(() => {
    router.refresh();
    reset();
  });
}
