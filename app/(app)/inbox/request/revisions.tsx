"use client";

import { ValueChanges } from "@/components/facts/value-changes.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";

/** What people asked the agent to revise before this request, and what it changed each time. */
export function Revisions({ request }: { request: InputRequestDetail }) {
  const { revisions } = request;
  return revisions.map((revision, at) => (
    <Notice
      key={revision.id}
      tone="accent"
      title={
        <>
          {actorWords(revision.by, { begins: true })} asked to revise{" "}
          <Link href={`/inbox/${revision.id}?tab=done`} className="underline underline-offset-4">
            the request before
          </Link>{" "}
          <span className="font-normal text-muted">
            · <TimeAgo at={revision.at} />
          </span>
        </>
      }
    >
      <blockquote className="whitespace-pre-line border-line border-l-2 pl-3">
        <PlainText text={revision.comment} />
      </blockquote>
      <p className="font-medium text-[13px]">What changed since</p>
      <ValueChanges
        before={revision.arguments}
        after={revisions[at + 1]?.arguments ?? request.arguments}
        none="Nothing: it is the same again."
      />
    </Notice>
  ));
}
