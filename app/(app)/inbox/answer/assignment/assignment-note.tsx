"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";

/** What the person who handed the request over wrote beside it. */
export function AssignmentNote({ request: { assignment } }: { request: InputRequestDetail }) {
  if (!assignment?.note) return null;
  return (
    <Notice
      tone="accent"
      title={
        <>
          Note from {actorWords(assignment.by)}, <TimeAgo at={assignment.at} />
        </>
      }
    >
      <p className="whitespace-pre-line break-words">
        <PlainText text={assignment.note} />
      </p>
    </Notice>
  );
}
