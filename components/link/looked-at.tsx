"use client";

import { useCallback, useEffect, useState } from "react";
import { FrontPage, LinkOver } from "@/components/shell/pages/front-page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import type { LinkToken } from "./use-link-token.ts";

/** The page behind a link until it is known what the link is for, or where that can't be known. */
export function LinkPending({
  title,
  state,
}: {
  title: string;
  state: Extract<LookedAt<unknown>, { kind: "waiting" | "throttled" | "failed" }>;
}) {
  if (state.kind === "throttled")
    return <LinkOver title="Too many attempts" next="Wait a minute, then open the link again." />;
  return (
    <FrontPage title={title}>
      {state.kind === "waiting" ? (
        <div role="status" aria-label="Loading" className="skeleton h-40" />
      ) : (
        <Notice
          live
          tone="bad"
          title={state.sentence}
          action={<Button onClick={state.retry}>Try again</Button>}
        />
      )}
    </FrontPage>
  );
}

/** What is known of the link behind a page. */
export type LookedAt<T> =
  | { kind: "waiting" }
  | { kind: "none" }
  | { kind: "over" }
  | { kind: "throttled" }
  | { kind: "failed"; sentence: string; retry: () => void }
  | { kind: "found"; token: string; found: T };

/** Asks `path` what the token's link is for. Asking uses nothing up. */
export function useLookedAt<T>(path: string, { token, opened, forget }: LinkToken): LookedAt<T> {
  const [state, setState] = useState<LookedAt<T>>({ kind: "waiting" });
  const [tries, setTries] = useState(0);
  const retry = useCallback(() => setTries((before) => before + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `opened` and `tries` ask again
  useEffect(() => {
    if (token === undefined) return;
    if (token === null) return setState({ kind: "none" });
    let current = true;
    setState({ kind: "waiting" });
    api
      .post<T>(path, { token })
      .then((found): LookedAt<T> => ({ kind: "found", token, found }))
      .catch((error: unknown): LookedAt<T> => {
        const code = error instanceof ApiError ? error.code : null;
        if (code === "link_expired") forget();
        if (code === "link_expired" || code === "invalid_input") return { kind: "over" };
        if (code === "throttled") return { kind: "throttled" };
        return { kind: "failed", sentence: errorSentence(error), retry };
      })
      .then((next) => current && setState(next));
    return () => {
      current = false;
    };
  }, [path, token, opened, forget, retry, tries]);
  return state;
}
