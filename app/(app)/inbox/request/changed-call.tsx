"use client";

import { ValueChanges } from "@/components/facts/value-changes.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import {
  agreedChange,
  approvedChange,
  askedCall,
  comparedArguments,
} from "@/lib/requests/words/changed-calls.ts";

/** What voters have agreed to instead of the call below: an approval agrees to the same. */
export function AgreedChange({ request }: { request: InputRequestDetail }) {
  const agreed = agreedChange(request);
  if (!agreed) return null;
  const voters = request.approval?.stages.flatMap(({ votes }) => votes.filter(({ agrees }) => agrees)) ?? [];
  const names = voters.map(({ by }, at) => actorWords(by, { begins: at === 0 })).join(", ");
  return (
    <Notice
      tone="accent"
      title={`${names} approved this call with changes. If you approve, you agree to these changes.`}
    >
      <ValueChanges before={askedCall(request).arguments} after={agreed} none="" />
    </Notice>
  );
}

/** What was changed before the call was approved. */
export function ApprovedChange({ request }: { request: InputRequestDetail }) {
  const approved = approvedChange(request);
  if (!approved) return null;
  return <ValueChanges before={askedCall(request).arguments} after={approved} none="" />;
}

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
            the earlier request
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
      <ChangedSince
        was={comparedArguments(request, revision.arguments)}
        is={comparedArguments(request, revisions[at + 1]?.arguments)}
      />
    </Notice>
  ));
}

type Compared = ReturnType<typeof comparedArguments>;

function ChangedSince({ was, is }: { was: Compared; is: Compared }) {
  const isMasked = was.isMasked || is.isMasked;
  return (
    <>
      <ValueChanges
        before={was.compared}
        after={is.compared}
        none={isMasked ? "Nothing that is shown." : "Nothing. The call is the same as before."}
      />
      {isMasked && <p className="text-[13px] text-muted">Masked secrets are not compared.</p>}
    </>
  );
}
