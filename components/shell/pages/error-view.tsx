"use client";

import { useRouter } from "next/navigation";
import { startTransition, useEffect } from "react";
import { PLAIN_BUTTON } from "@/components/shell/pages/plain-button.ts";
import { PlainView } from "@/components/shell/pages/plain-view.tsx";
import { DATABASE_AWAY } from "@/lib/format/page-failure.ts";

const AGAIN_MS = 5_000;
const CLOUD_ALERT = ["M12 12v4", "M12 20h.01", "M8.128 16.949A7 7 0 1 1 15.71 8h1.79a1 1 0 0 1 0 9h-1.642"];

/** A page that failed to render: the error, what is not lost, the next step, and an id to quote. */
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
    <>
      <title>{`${title} · Intray`}</title>
      <PlainView
        icon={CLOUD_ALERT}
        title={title}
        action={
          <button type="button" className={PLAIN_BUTTON} onClick={() => retry(router, reset)}>
            Try again
          </button>
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
      </PlainView>
    </>
  );
}

/** Refreshes the server's part too: rendering the same response again would fail again. */
function retry(router: ReturnType<typeof useRouter>, reset: () => void) {
  startTransition(() => {
    router.refresh();
    reset();
  });
}
