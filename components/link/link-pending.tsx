import { FrontPage, LinkOver } from "@/components/shell/pages/front-page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { LookedAt } from "./use-looked-at.ts";

/** The page behind a link until it is known what the link is for, or where that can't be known. */
export function LinkPending({
  title,
  state,
}: {
  title: string;
  state: Extract<LookedAt<unknown>, { kind: "waiting" | "throttled" | "failed" }>;
}) {
  if (state.kind === "throttled")
    return <LinkOver title="Too many tries" next="Wait a minute, then open the link again." />;
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
