"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { Day } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { decidedWord } from "@/lib/input-requests/decision.ts";
import type { SimilarRequest, SimilarRequests } from "@/lib/input-requests/similar-schema.ts";
import { shorten } from "@/lib/text/labels.ts";
import { sayMoney } from "@/lib/text/money.ts";
import { RequestSection } from "./request-section.tsx";

/** What was decided on requests of the same kind, about the same party and a like amount. Nothing where nothing was. */
export function DecidedBefore({ similar }: { similar: SimilarRequests }) {
  if (similar.items.length === 0) return null;
  return (
    <RequestSection title="Decided like this before">
      <p className="text-[13px]">{summary(similar.decided)}</p>
      <ul className="flex flex-col gap-2.5">
        {similar.items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
    </RequestSection>
  );
}

function Item({ item }: { item: SimilarRequest }) {
  const { answer } = item;
  const given = answer.action === "accept" && !/^(Rejected|Denied)$/.test(wordOf(item));
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
          <PlainText text={nameOf(item)} />
        </Link>
        <span className="block text-muted">
          {wordOf(item).toLowerCase()} by {answer.by.name} <Day at={answer.at} />
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

/** `INV-096 · ACME · $940.00`, else how its message begins. */
export function nameOf({ label, party, amount, message }: SimilarRequest): string {
  const known = [label, party, amount && sayMoney(amount)].filter((part) => part !== null);
  return known.length > 0 ? known.join(" · ") : `“${shorten(message, 60)}”`;
}

export function wordOf({ answer }: SimilarRequest): string {
  return decidedWord(answer.action, answer.content);
}

/** `Approved 5 of 6`. */
function summary(decided: Record<string, number>): string {
  const total = Object.values(decided).reduce((sum, count) => sum + count, 0);
  const [word, count] = Object.entries(decided).reduce((most, each) => (each[1] > most[1] ? each : most));
  return `${word} ${count} of ${total}`;
}
