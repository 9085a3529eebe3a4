"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { Day } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { SimilarRequests } from "@/lib/input-requests/similar-schema.ts";
import { nameOf, wordOf } from "./similar-requests.tsx";

/** The same thing may have been decided before: what approvers fear most, said before they decide. */
export function RepeatNotice({ repeats }: { repeats: NonNullable<SimilarRequests["repeats"]> }) {
  const word = wordOf(repeats).toLowerCase();
  const title =
    repeats.by === "label"
      ? `${repeats.label} was already ${word} by ${repeats.answer.by.name}`
      : `The same amount for ${repeats.party} was already ${word} by ${repeats.answer.by.name}`;
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
        Make sure that this is not the same one twice:{" "}
        <Link
          href={`/inbox/${repeats.id}?tab=done`}
          className="underline underline-offset-4 max-md:-my-2 max-md:inline-block max-md:py-3"
        >
          <PlainText text={nameOf(repeats)} />
        </Link>
      </p>
    </Notice>
  );
}
