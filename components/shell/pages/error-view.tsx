"use client";

import { useRouter } from "next/navigation";
import { startTransition, useEffect, useState } from "react";
import { ErrorId, PLAIN_BUTTON, PlainView } from "@/components/shell/pages/plain-view.tsx";
import { reportFailure } from "@/components/shell/pages/report-failure.ts";
import { DATABASE_AWAY } from "@/lib/web/words/trouble.ts";

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
  // Next gives a digest to errors of the server only. An error of the browser gets an id here, and is logged by it.
  const [ownId, setOwnId] = useState<string | null>(null);
  useEffect(() => {
    if (error.digest) return;
    let isCurrent = true;
    void reportFailure(error).then((id) => isCurrent && setOwnId(id));
    return () => {
      isCurrent = false;
    };
  }, [error]);
  const id = error.digest ?? ownId;
  const title = away ? "Intray is unavailable for a moment" : "This page could not be shown";
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
          ? "Its database can’t be reached. Nothing is lost, and the page comes back by itself."
          : "Nothing was lost: tasks, requests and answers are kept on the server, not on this page."}
        {!away && id && <ErrorId id={id} />}
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
