"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, ExternalLink } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import type { RequestDocument } from "@/lib/requests/documents/document-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { savedName } from "@/lib/requests/words/document-words.ts";
import { visibleText } from "@/lib/text/foreign/hidden.ts";
import { formatBytes } from "@/lib/text/media.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { documentContent } from "@/lib/web/client/request-context.ts";

/** Characters of a text that are shown at first, and with each further step. */
const SHOWN = 10_000;
const MORE = 50_000;

/** Reads a document, when opened, and shows it: text as text, images and PDF as the browser draws them. */
export function DocumentViewer({
  request,
  document,
  isPart = false,
}: {
  request: InputRequestDetail;
  document: RequestDocument;
  /** The call sends the document itself, so that it is read before a decision. */
  isPart?: boolean;
}) {
  const content = useQuery(documentContent(request.id, document.id));
  const isRead = content.isError ? isFinal(content.error) : content.isSuccess && !content.isRefetching;
  useFold(isPart && !isRead ? { what: "documents", count: 1 } : null, { isLoading: true });
  if (content.isPending || content.isRefetching) {
    return (
      <div role="status" className="flex flex-col gap-2 text-[13px] text-muted">
        <p>
          Reading from <PlainText text={document.server.name} />…
        </p>
        <div aria-hidden className="skeleton h-40" />
      </div>
    );
  }
  if (content.isError) {
    return <NotRead error={content.error} onRetry={() => void content.refetch()} />;
  }
  return <Shown blob={content.data} name={visibleText(document.name)} isPart={isPart} />;
}

/** What the document is will not change with another try. */
function isFinal(error: Error): boolean {
  return error instanceof ApiError && error.code.startsWith("document_");
}

function NotRead({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice
      live
      title={error instanceof ApiError ? error.sentence : errorSentence(error)}
      action={
        !isFinal(error) && (
          <Button size="sm" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    />
  );
}

function Shown({ blob, name, isPart }: { blob: Blob; name: string; isPart: boolean }) {
  const url = useObjectUrl(blob);
  const isText = blob.type.startsWith("text/");
  return (
    <>
      {isText ? (
        <TextDocument blob={blob} name={name} isPart={isPart} />
      ) : (
        url && <Drawn url={url} blob={blob} name={name} />
      )}
      {url && (
        <div className="flex flex-wrap items-center gap-2">
          {!isText && (
            <Button asChild size="sm">
              <a href={url} target="_blank" rel="noopener noreferrer">
                <ExternalLink aria-hidden strokeWidth={1.75} />
                Open in a new tab
              </a>
            </Button>
          )}
          <Button asChild size="sm">
            <a href={url} download={savedName(name, blob.type)}>
              <Download aria-hidden strokeWidth={1.75} />
              Download
            </a>
          </Button>
          <span className="text-muted text-xs">
            {KINDS[blob.type] ?? "Text"}, {formatBytes(blob.size)}
          </span>
        </div>
      )}
    </>
  );
}

const KINDS: Record<string, string> = {
  "application/pdf": "PDF",
  "image/png": "PNG image",
  "image/jpeg": "JPEG image",
  "image/gif": "GIF image",
  "image/webp": "WebP image",
};

function Drawn({ url, blob, name }: { url: string; blob: Blob; name: string }): ReactNode {
  const [damaged, setDamaged] = useState(false);
  if (blob.type !== "application/pdf") {
    if (damaged) return <Notice title="This image is damaged and can’t be shown." />;
    return (
      // biome-ignore lint/performance/noImgElement: bytes of a blob, nothing to optimise
      <img
        src={url}
        alt={`Document ${name}`}
        className="max-h-[65vh] w-fit max-w-full rounded-md border border-line bg-white object-contain"
        onError={() => setDamaged(true)}
      />
    );
  }
  if (!navigator.pdfViewerEnabled)
    return <p className="text-[13px] text-muted">This browser doesn’t show PDFs inside a page.</p>;
  return (
    // The frame has no attribute `sandbox`, under which browsers refuse to show PDFs. The type was checked by
    // the bytes, and the page's policy lets the frame go nowhere else. Phones show one page at most in a frame.
    <>
      <iframe
        src={`${url}#navpanes=0&view=FitH`}
        title={`Document ${name}`}
        className="h-[65vh] w-full rounded-md border border-line max-md:hidden"
      />
      <p className="text-[13px] text-muted md:hidden">Open it in a new tab to read it.</p>
    </>
  );
}

function TextDocument({ blob, name, isPart }: { blob: Blob; name: string; isPart: boolean }) {
  const [text, setText] = useState<string | null>(null);
  const [pressed, setShown] = useState(SHOWN);
  const length = text?.length ?? 0;
  const { open, ref } = useFold<HTMLButtonElement>(
    isPart && length > pressed ? { what: "text", count: length - pressed } : null,
  );
  const shown = open ? length : pressed;
  useEffect(() => {
    let isCurrent = true;
    void blob.text().then((read) => isCurrent && setText(read));
    return () => {
      isCurrent = false;
    };
  }, [blob]);
  const { number } = useFormats();
  if (text === null) return <div aria-hidden className="skeleton h-40" />;
  const left = text.length - shown;
  return (
    <>
      <section
        aria-label={`Document ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        className={cn(
          "scroll-quiet overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-xs leading-5",
          !isPart && "max-h-[65vh]",
        )}
      >
        {text === "" ? <span className="text-muted">This document is empty.</span> : null}
        <PlainText text={left > 0 ? `${text.slice(0, shown)}…` : text} />
      </section>
      {left > 0 && (
        <Button
          ref={ref}
          variant="link"
          className="w-fit px-0 font-normal max-md:min-h-11"
          onClick={() => setShown(shown + MORE)}
        >
          Show more ({number(left)} characters left)
        </Button>
      )}
    </>
  );
}

/** The blob's address in this page, as long as it is shown; null at first. */
function useObjectUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
