"use client";

import { useQuery } from "@tanstack/react-query";
import { File, FileImage, FileText, Globe, type LucideIcon } from "lucide-react";
import { useId, useState } from "react";
import { OpenSite, SiteAddress } from "@/components/request/open-site.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { RequestDocument } from "@/lib/requests/documents/document-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { documentFacts, likelyType } from "@/lib/requests/words/document-words.ts";
import { isUnreadPart } from "@/lib/requests/words/embedded-documents.ts";
import { urlParts } from "@/lib/text/foreign/address.ts";
import { bothEnds } from "@/lib/text/labels.ts";
import { requestDocuments } from "@/lib/web/client/request-context.ts";
import { DocumentViewer } from "./document-viewer.tsx";

/** The documents that a request brings along. Nothing is read before a person opens one. */
export function Documents({ request }: { request: InputRequestDetail }) {
  const { view } = useMe();
  const all = useQuery({ ...requestDocuments(request.id), enabled: request.documents.mayHaveMore && !view });
  const documents = all.data?.items ?? request.documents.items;
  if (documents.length === 0) return null;
  return (
    <section className="flex flex-col gap-2.5" aria-labelledby="documents-heading">
      <h3 id="documents-heading" className="font-medium text-[13px] text-muted">
        Documents
      </h3>
      <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {documents.map((each) => (
          <DocumentRow key={each.id} document={each} request={request} />
        ))}
      </ul>
    </section>
  );
}

function DocumentRow({ document, request }: { document: RequestDocument; request: InputRequestDetail }) {
  const { view } = useMe();
  const isPart = isUnreadPart(request.arguments, document);
  const { open, setOpen, ref } = useFold<HTMLButtonElement>(isPart ? { what: "documents", count: 1 } : null);
  const id = useId();
  const Icon = iconOf(document);
  return (
    <li className="flex flex-col">
      <div className="flex min-h-12 items-center gap-3 py-1.5 pr-2 pl-3.5">
        <Icon aria-hidden className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
        <div className="min-w-0 flex-1">
          <p id={`${id}-name`} className="break-words font-medium">
            <PlainText text={document.name} />
          </p>
          <p className="break-words text-muted text-xs">{documentFacts(document)}</p>
          {/* The name is the caller's: only the address says which document is read. */}
          {document.uri !== null && document.uri !== document.name && (
            <p className="break-all text-muted text-xs" title={document.uri}>
              <PlainText text={bothEnds(document.uri)} />
            </p>
          )}
          {document.description && (
            <p className="whitespace-pre-line break-words text-[13px]">
              <PlainText text={document.description} />
            </p>
          )}
        </div>
        <Button
          ref={ref}
          size="sm"
          className="min-w-14"
          id={`${id}-button`}
          // Reading asks the server, which an admin who looks as a member never does.
          disabled={Boolean(view)}
          title={view ? "Read only: you can’t open documents while you view as a member" : undefined}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-labelledby={`${id}-button ${id}-name`}
          onClick={() => setOpen(!open)}
        >
          {open ? "Hide" : "View"}
        </Button>
      </div>
      {open && (
        <div id={id} className="flex flex-col gap-3 border-line border-t px-3.5 py-3">
          {document.kept === "site" ? (
            <SiteDocument request={request} document={document} />
          ) : (
            <DocumentViewer request={request} document={document} isPart={isPart} />
          )}
        </div>
      )}
    </li>
  );
}

function iconOf(document: RequestDocument): LucideIcon {
  if (document.kept === "site") return Globe;
  const type = likelyType(document);
  if (type?.startsWith("image/")) return FileImage;
  return type?.startsWith("text/") || type === "application/pdf" ? FileText : File;
}

/**
 * A document at a site. Intray never fetches a site that a server names: the person may open it, after a look
 * at its address, or have the server asked for it.
 */
function SiteDocument({ request, document }: { request: InputRequestDetail; document: RequestDocument }) {
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
