"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft } from "lucide-react";
import { useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent, useLazyComponents } from "@/components/ui/lazy-component.tsx";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { useKeptError } from "@/lib/web/client/base/query-client.ts";
import { similarRequests } from "@/lib/web/client/request-context.ts";
import { requestDetail } from "@/lib/web/client/requests.ts";
import { useRefused } from "../answer/decision-store.ts";
import { withRefused } from "../answer/draft-state.ts";
import { LateFailure } from "../late-failure.tsx";
import type { Listed } from "../list/request-list.tsx";
import { Steps } from "../list/steps.tsx";
import { lazyRequestParts, RequestView } from "./request-view.tsx";

const RequestMissing = lazyComponent(() => import("./request-chunk.ts").then((file) => file.RequestMissing), {
  warm: true,
});

export function RequestPane({
  id,
  listed,
  onBack,
}: {
  id: string;
  /** Null until the list is loaded. */
  listed: Listed | null;
  onBack: () => void;
}) {
  const formats = useFormats();
  const request = useQuery(requestDetail(id));
  const failure = useKeptError(request);
  const refused = useRefused()[id];
  // Loaded and shown together with the request: a late warning would move the button about to be pressed.
  const similar = useQuery(similarRequests(id));
  const whole = useLazyComponents(
    request.data ? lazyRequestParts(request.data, similar.data ?? null, formats) : [],
  );
  // Once shown, the request stays: later parts may come late.
  const [shown, setShown] = useState(false);
  if (!shown && request.data && !similar.isPending && whole) setShown(true);
  return (
    <>
      <div className="flex h-12 shrink-0 items-center border-line border-b px-1 md:h-10 md:px-8">
        <Button variant="ghost" className="gap-1.5 px-2 text-ink md:hidden" onClick={onBack}>
          <ChevronLeft aria-hidden strokeWidth={1.75} />
          Inbox
        </Button>
        {listed && <Steps listed={listed} id={id} />}
      </div>
      {request.data && shown ? (
        <RequestView request={withRefused(request.data, refused)} similar={similar.data ?? null} />
      ) : failure ? (
        <NotLoaded error={failure} onRetry={() => void request.refetch()} onBack={onBack} />
      ) : (
        <RequestSkeleton />
      )}
    </>
  );
}

function NotLoaded({ error, onRetry, onBack }: { error: Error; onRetry: () => void; onBack: () => void }) {
  if (error instanceof ApiError && error.status === 404) {
    return <RequestMissing onBack={onBack} />;
  }
  return (
    <div className="p-6">
      <LateFailure what="The request" error={error} onRetry={onRetry} />
    </div>
  );
}

export function RequestSkeleton() {
  return (
    <div aria-hidden className="flex max-w-3xl flex-col gap-4 p-4 md:px-8 md:py-6">
      <div className="skeleton h-4 w-48" />
      <div className="skeleton h-7 w-4/5" />
      <div className="skeleton h-5 w-64" />
      <div className="skeleton mt-4 h-44" />
      <div className="skeleton h-16" />
    </div>
  );
}
