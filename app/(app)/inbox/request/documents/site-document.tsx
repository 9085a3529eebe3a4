"use client";

import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { RequestDocument } from "@/lib/input-requests/documents/schema.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { type UrlParts, urlParts } from "@/lib/text/url-parts.ts";
import { DocumentViewer } from "./document-viewer.tsx";

/**
 * A document at a site. Intray never fetches a site that a server names: the person may open it, after a look
 * at its address, or have the server asked for it.
 */
export function SiteDocument({
  request,
  document,
}: {
  request: InputRequestDetail;
  document: RequestDocument;
}) {
  const [asked, setAsked] = useState(false);
  const parts = document.uri === null ? null : urlParts(document.uri);
  if (asked) return <DocumentViewer request={request} document={document} />;
  return (
    <>
      {parts ? (
        <OpenSite parts={parts} />
      ) : (
        <p className="text-muted">The server sent an address that can’t be opened safely.</p>
      )}
      <p className="text-[13px] text-muted">
        Intray doesn’t fetch documents from other sites.{" "}
        <button
          type="button"
          className="font-medium text-accent underline-offset-4 hover:underline max-md:py-2.5"
          onClick={() => setAsked(true)}
        >
          Ask <PlainText text={document.server.name} /> for it
        </button>
      </p>
    </>
  );
}

function OpenSite({ parts }: { parts: UrlParts }) {
  const [agreed, setAgreed] = useState(false);
  const label = (
    <>
      <ExternalLink aria-hidden strokeWidth={1.75} />
      <span className="truncate">Open {parts.host}</span>
    </>
  );
  return (
    <>
      <p className="break-all font-mono text-[13px] text-muted leading-6">
        {parts.before}
        <strong className="font-semibold text-ink">{parts.host}</strong>
        <PlainText text={parts.after} />
      </p>
      {parts.warnings.length > 0 && (
        <Notice tone="wait" title="Check this address">
          {parts.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
      <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-(--accent)"
          checked={agreed}
          onChange={(event) => setAgreed(event.target.checked)}
        />
        <span className="min-w-0 break-all">I know {parts.host} and want to open it</span>
      </label>
      {agreed ? (
        <Button asChild size="sm" className="w-fit max-w-full">
          {/* A plain link, so that nothing is prefetched; the site learns nothing of this page. */}
          <a href={parts.href} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer">
            {label}
          </a>
        </Button>
      ) : (
        <Button disabled size="sm" className="w-fit max-w-full">
          {label}
        </Button>
      )}
    </>
  );
}
