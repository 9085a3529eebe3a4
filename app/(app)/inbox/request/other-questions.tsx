"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { REQUEST_LABELS } from "@/lib/format/requests/requests.ts";
import { decidedWord } from "@/lib/input-requests/decision.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { shorten } from "@/lib/text/labels.ts";
import { RequestSection } from "./request-section.tsx";
import { REQUEST_ICONS } from "./request-states.ts";

/** What else a task asked, and who decided what. */
export function OtherQuestions({ others }: { others: InputRequestSummary[] }) {
  return (
    <RequestSection title="Also asked by this task">
      <ul className="flex flex-col gap-2.5">
        {others.map((other) => (
          <Question key={other.id} request={other} />
        ))}
      </ul>
    </RequestSection>
  );
}

function Question({ request }: { request: InputRequestSummary }) {
  const Icon = REQUEST_ICONS[request.state];
  const { answer } = request;
  return (
    <li className="flex gap-2 text-[13px]">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0 text-muted" strokeWidth={1.75} />
      <span className="min-w-0">
        <Link
          href={`/inbox/${request.id}`}
          className="underline-offset-4 hover:underline max-md:inline-block max-md:py-1"
        >
          <PlainText text={shorten(request.message, 90)} />
        </Link>
        <span className="block text-muted">
          {answer
            ? `${decidedWord(answer.action, answer.content)} by ${answer.by.name}`
            : REQUEST_LABELS[request.state]}
          , <TimeAgo at={answer?.at ?? request.createdAt} />
        </span>
      </span>
    </li>
  );
}
