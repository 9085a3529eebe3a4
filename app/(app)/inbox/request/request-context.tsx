"use client";

import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { SimilarRequest, SimilarRequests } from "@/lib/requests/similar/similar-schema.ts";
import { REQUEST_LABELS } from "@/lib/requests/words/request-labels.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";
import { shorten, uncapitalise } from "@/lib/text/labels.ts";
import { REQUEST_ICONS } from "../state-icons.ts";
import { RequestSection } from "./request-section.tsx";

/** Decisions on requests of the same kind, about the same party and a similar amount. */
export function DecidedBefore({ similar }: { similar: SimilarRequests }) {
  if (similar.items.length === 0) return null;
  return (
    <RequestSection title="Similar decisions">
      <p className="text-[13px]">{summary(similar.decided)}</p>
      <ul className="flex flex-col gap-2.5">
        {similar.items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
    </RequestSection>
  );
}

const NOT_GIVEN = /^(Rejected|Denied|Refused|Not confirmed)$|[:?] (No|Reject|Deny|Refuse)”$/;

function Item({ item }: { item: SimilarRequest }) {
  const { answer } = item;
  const formats = useFormats();
  const given = answer.action === "accept" && !NOT_GIVEN.test(answer.words);
  return (
    <li className="group relative flex gap-3 text-[13px]">
      <span
        aria-hidden
        className={cn("mt-1.5 size-2 shrink-0 rounded-full", given ? "bg-accent" : "border-2 border-muted")}
      />
      <span className="min-w-0">
        <Link
          href={`/inbox/${item.id}?tab=done`}
          aria-describedby={answer.comment ? `comment-${item.id}` : undefined}
          className="underline-offset-4 hover:underline max-md:inline-block max-md:py-1"
        >
          <PlainText text={nameOf(item, formats)} />
        </Link>
        <span className="block text-muted">
          {uncapitalise(answer.words)} by {actorWords(answer.by)} <Day at={answer.at} />
        </span>
      </span>
      {answer.comment && (
        <span
          role="tooltip"
          id={`comment-${item.id}`}
          className="invisible absolute top-full right-0 left-5 z-20 mt-1 whitespace-pre-line rounded-lg border border-line bg-panel px-3 py-2 text-muted shadow-pop group-focus-within:visible group-hover:visible"
        >
          “<PlainText text={shorten(answer.comment, 300)} />”
        </span>
      )}
    </li>
  );
}

/** Warns before the decision that the same thing may have been decided already. */
export function RepeatNotice({ repeats }: { repeats: NonNullable<SimilarRequests["repeats"]> }) {
  const formats = useFormats();
  const word = uncapitalise(repeats.answer.words);
  const title =
    repeats.by === "label"
      ? `${repeats.label} was already ${word} by ${actorWords(repeats.answer.by)}`
      : `The same amount for ${repeats.party ?? "the same parties"} was already ${word} by ${actorWords(repeats.answer.by)}`;
  return (
    <Notice
      tone="wait"
      title={
        <>
          <PlainText text={title} /> <Day at={repeats.answer.at} />.
        </>
      }
    >
      <p>
        Check that this one is not a duplicate:{" "}
        <Link
          href={`/inbox/${repeats.id}?tab=done`}
          className="underline underline-offset-4 max-md:-my-2 max-md:inline-block max-md:py-3"
        >
          <PlainText text={nameOf(repeats, formats)} />
        </Link>
      </p>
    </Notice>
  );
}

/** The task's other requests and their decisions. */
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
          {answer ? `${answer.words} by ${actorWords(answer.by)}` : REQUEST_LABELS[request.state]},{" "}
          <TimeAgo at={answer?.at ?? request.createdAt} />
        </span>
      </span>
    </li>
  );
}

/** Returns `INV-096 · ACME · $940.00`, or the beginning of the message. */
function nameOf({ label, party, amount, message }: SimilarRequest, formats: Formats): string {
  const known = [label, party, amount && formats.amount(amount)].filter((part) => part !== null);
  return known.length > 0 ? known.join(" · ") : `“${shorten(message, 60)}”`;
}

/** Returns `Approved 5 of 6`, for the most frequent decision. */
function summary(decided: Record<string, number>): string {
  const total = Object.values(decided).reduce((sum, count) => sum + count, 0);
  const [word, count] = Object.entries(decided).reduce((most, each) => (each[1] > most[1] ? each : most));
  return `${word} ${count} of ${total}`;
}
