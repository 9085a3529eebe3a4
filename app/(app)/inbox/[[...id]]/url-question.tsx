"use client";

import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { urlParts } from "@/lib/format/url-parts.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** A site that the server wants opened: the whole address as text first, then consent, then a button. */
export function UrlQuestion({
  question,
  opened,
  onOpened,
}: {
  question: InputRequestDetail;
  opened: boolean;
  onOpened: () => void;
}) {
  const me = useMe();
  const [agreed, setAgreed] = useState(false);
  const parts = question.url ? urlParts(question.url) : null;
  const owner = question.urlOwner;
  const mayOpen = owner === null || owner.id === me.user.id;
  if (!question.url || !parts) {
    return (
      <Notice tone="bad" title="The server sent an address that cannot be opened safely.">
        <p className="break-all font-mono text-xs">{question.url}</p>
        <p>You can decline.</p>
      </Notice>
    );
  }
  return (
    <section aria-labelledby="site-heading" className="flex flex-col gap-3">
      <h2 id="site-heading" className="font-medium text-[13px] text-muted">
        The site to open
      </h2>
      <p className="break-all rounded-lg border border-line bg-bg px-3.5 py-3 font-mono text-[13px] text-muted leading-6">
        {parts.before}
        <strong className="font-semibold text-ink">{parts.host}</strong>
        {parts.after}
      </p>
      {parts.suspect && (
        <Notice tone="wait" title="Look twice at this address">
          <p>{parts.suspect}</p>
        </Notice>
      )}
      {mayOpen ? (
        <>
          <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-(--accent)"
              checked={agreed}
              onChange={(event) => setAgreed(event.target.checked)}
            />
            I know {parts.host} and want to open it
          </label>
          <div className="flex flex-wrap items-center gap-3">
            <Button
              disabled={!agreed}
              onClick={() => {
                // noopener: the site gets no handle on this page, nor its address.
                window.open(question.url ?? "", "_blank", "noopener,noreferrer");
                onOpened();
              }}
            >
              <ExternalLink aria-hidden strokeWidth={1.75} />
              Open {parts.host}
            </Button>
            <p role="status" className="text-[13px] text-muted">
              {opened ? "Opened in a new tab. Come back and say “I have done it”." : "Opens in a new tab."}
            </p>
          </div>
        </>
      ) : (
        <Notice title={`Only ${owner.name} may open this site`}>
          <p>It belongs to their connection to {question.server.name}.</p>
        </Notice>
      )}
    </section>
  );
}
