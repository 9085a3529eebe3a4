"use client";

import { OpenSite, SiteAddress } from "@/components/request/open-site.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { urlParts } from "@/lib/text/foreign/address.ts";

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
  const mayOpen = owner === null ? me.may("requests:answer") : owner.id === me.user.id;
  return (
    <section aria-labelledby="site-heading" className="flex max-w-xl flex-col gap-3">
      <h2 id="site-heading" className="font-medium text-[13px] text-muted">
        The site to open
      </h2>
      {/* Anyone with the whole address could open it in the owner's place. */}
      <SiteAddress
        parts={parts}
        whole={mayOpen}
        className="rounded-lg border border-line bg-bg px-3.5 py-3"
      />
      {mayOpen ? (
        <OpenSite parts={parts} opened={opened} disabled={disabled} onOpened={onOpened}>
          <p role="status" className="text-[13px] text-muted">
            {opened
              ? "Opened in a new tab. Finish there, then come back and continue the task."
              : "The site opens in a new tab. Intray sends nothing to it."}
          </p>
        </OpenSite>
      ) : (
        <Notice title={owner ? `Only ${owner.name} may open this site` : "Only approvers may open this site"}>
          {owner ? (
            <p>
              {question.server.name} is connected with {owner.name}’s account, so only {owner.name} may open
              the site. Ask {owner.name} to open this request.
            </p>
          ) : (
            <p>
              {question.server.name} is connected for the whole organization. Ask an approver to open this
              site.
            </p>
          )}
        </Notice>
      )}
    </section>
  );
}
