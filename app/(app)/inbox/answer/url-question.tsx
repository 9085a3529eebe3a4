"use client";

import { ExternalLink } from "lucide-react";
import { useId, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { type UrlParts, urlParts } from "@/lib/text/url-parts.ts";

/** A site that the server wants opened: the whole address as text first, then consent, then a link. */
export function UrlQuestion({
  question,
  opened,
  disabled,
  canDecline,
  onOpened,
}: {
  question: InputRequestDetail;
  opened: boolean;
  disabled: boolean;
  canDecline: boolean;
  onOpened: () => void;
}) {
  const me = useMe();
  const parts = question.url === null ? null : urlParts(question.url);
  if (!parts) {
    return (
      <Notice tone="bad" title="The server sent an address that cannot be opened safely">
        <p className="break-all font-mono text-xs">{question.url}</p>
        {canDecline && <p>You can decline to answer, with a reason.</p>}
      </Notice>
    );
  }
  const owner = question.urlOwner;
  const mayOpen = owner === null || owner.id === me.user.id;
  return (
    <section aria-labelledby="site-heading" className="flex max-w-xl flex-col gap-3">
      <h2 id="site-heading" className="font-medium text-[13px] text-muted">
        The site to open
      </h2>
      <p className="break-all rounded-lg border border-line bg-bg px-3.5 py-3 font-mono text-[13px] text-muted leading-6">
        {parts.before}
        <strong className="font-semibold text-ink">{parts.host}</strong>
        {/* Anyone with the whole address could open it in the owner's place. */}
        {mayOpen ? parts.after : "/…"}
      </p>
      {parts.warnings.length > 0 && (
        <Notice tone="wait" title="Check this address">
          {parts.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
      {mayOpen ? (
        <OpenSite parts={parts} opened={opened} disabled={disabled} onOpened={onOpened} />
      ) : (
        <Notice title={`Only ${owner.name} may open this site`}>
          <p>
            {question.server.name} is connected in {owner.name}’s name, and the site is meant for the same
            person. Ask {owner.name} to open this request.
          </p>
        </Notice>
      )}
    </section>
  );
}

function OpenSite({
  parts,
  opened,
  disabled,
  onOpened,
}: {
  parts: UrlParts;
  opened: boolean;
  disabled: boolean;
  onOpened: () => void;
}) {
  const [agreed, setAgreed] = useState(opened);
  const id = useId();
  const label = (
    <>
      <ExternalLink aria-hidden strokeWidth={1.75} />
      {opened ? "Open it again" : `Open ${parts.host}`}
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
        <p role="status" className="text-[13px] text-muted">
          {opened
            ? "Opened in a new tab. Finish there, then come back and continue the task."
            : "Opens in a new tab. Nothing is sent to it from here."}
        </p>
      </div>
    </>
  );
}
