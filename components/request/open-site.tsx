"use client";

import { ExternalLink } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import type { UrlParts } from "@/lib/text/foreign/address.ts";

/** The address of a site that a server named, with its host set off, and what is odd about it. */
export function SiteAddress({
  parts,
  whole = true,
  className,
}: {
  parts: UrlParts;
  /** False: the rest after the host is not shown. */
  whole?: boolean;
  className?: string;
}) {
  return (
    <>
      <p className={cn("break-all font-mono text-[13px] text-muted leading-6", className)}>
        {parts.before}
        <strong className="font-semibold text-ink">{parts.host}</strong>
        {whole ? <PlainText text={parts.after} /> : "/…"}
      </p>
      {parts.warnings.length > 0 && (
        <Notice tone="wait" title="Check this address">
          {parts.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

/** A tick, and a link that works once it is set. `children` stands beside the link. */
export function OpenSite({
  parts,
  opened = false,
  disabled = false,
  onOpened,
  children,
}: {
  parts: UrlParts;
  /** It was opened before, and may be again. */
  opened?: boolean;
  disabled?: boolean;
  onOpened?: () => void;
  children?: ReactNode;
}) {
  const [agreed, setAgreed] = useState(opened);
  const id = useId();
  const label = (
    <>
      <ExternalLink aria-hidden strokeWidth={1.75} />
      <span className="truncate">{opened ? "Open it again" : `Open ${parts.host}`}</span>
    </>
  );
  return (
    <>
      <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-(--accent)"
          checked={agreed}
          disabled={disabled}
          onChange={(event) => setAgreed(event.target.checked)}
        />
        <span id={id} className="min-w-0 break-all">
          I know {parts.host} and want to open it
        </span>
      </label>
      <div className="flex flex-wrap items-center gap-3">
        {agreed && !disabled ? (
          <Button asChild className="max-w-full">
            {/* A plain link, so that nothing is prefetched; the site learns nothing of this page. */}
            <a
              href={parts.href}
              target="_blank"
              rel="noopener noreferrer"
              referrerPolicy="no-referrer"
              onClick={onOpened}
              onAuxClick={onOpened}
            >
              {label}
            </a>
          </Button>
        ) : (
          <Button disabled aria-describedby={id} className="max-w-full">
            {label}
          </Button>
        )}
        {children}
      </div>
    </>
  );
}
