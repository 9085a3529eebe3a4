"use client";

import { useRouter } from "next/navigation";
import { startTransition, useEffect, useState } from "react";
import { PLAIN_BUTTON } from "@/components/shell/pages/plain-button.ts";
import { PlainView } from "@/components/shell/pages/plain-view.tsx";
import { api } from "@/lib/api-client/base/client.ts";
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
  // Next gives a digest to errors of the server only. An error of the browser gets an id here, and is logged by it.
  const [ownId] = useState(() =>
    crypto.getRandomValues(new Uint32Array(1))[0]!.toString(16).padStart(8, "0"),
  );
  const [logged, setLogged] = useState(false);
  useEffect(() => {
    if (error.digest) return;
    let isCurrent = true;
    void report(ownId, error).then((taken) => isCurrent && setLogged(taken));
    return () => {
      isCurrent = false;
    };
  }, [error, ownId]);
  // An id that stands in no log would be quoted in vain.
  const id = error.digest ?? (logged ? ownId : null);
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
        {!away && id && (
          <span className="mt-2 block">
            Error ID: <code className="select-all font-mono text-ink">{id}</code>. Quote it if you ask for
            help.
          </span>
        )}
      </PlainView>
    </>
  );
}

/** Whether the report was taken. One that fails changes nothing else for the reader of a page that has failed. */
function report(id: string, { message, stack }: Error): Promise<boolean> {
  const body = {
    id,
    path: window.location.pathname.slice(0, 300),
    message: message.slice(0, 500),
    ...(stack && { stack: stack.slice(0, 4000) }),
  };
  return api.post("/api/v1/page-failures", body).then(
    () => true,
    () => false,
  );
}

/** Refreshes the server's part too: rendering the same response again would fail again. */
function retry(router: ReturnType<typeof useRouter>, reset: () => void) {
  startTransition(() => {
    router.refresh();
    reset();
  });
}
