"use client";

import { useState } from "react";
import { OpenSite, SiteAddress } from "@/components/request/open-site.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import type { RequestDocument } from "@/lib/input-requests/documents/schema.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { urlParts } from "@/lib/text/url-parts.ts";
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
        <>
          <SiteAddress parts={parts} />
          <OpenSite parts={parts} />
        </>
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
