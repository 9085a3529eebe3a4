"use client";

import { Facts } from "@/components/facts/facts.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { WordDiff } from "@/components/text/word-diff.tsx";
import { areAlike } from "@/lib/text/question-changes.ts";
import { changesOf, valueText } from "@/lib/text/value-changes.ts";

/** What differs between the arguments of two calls, whole, and beyond many changes the later arguments: deletions and insertions are marked by more than colour. */
export function ValueChanges({
  before,
  after,
  none,
}: {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  /** Said where nothing differs. */
  none: string;
}) {
  const { changes, isAll } = changesOf(before, after);
  if (changes.length === 0) return <p className="text-muted">{none}</p>;
  return (
    <>
      <dl className="grid grid-cols-[minmax(4rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
        {changes.map(({ path, before: was, after: is }) => (
          <div key={path} className="col-span-2 grid grid-cols-subgrid">
            <dt className="max-w-[16rem] break-words text-muted max-md:max-w-[40vw]">
              <PlainText text={path} />
            </dt>
            <dd className="min-w-0 tabular-nums wrap-anywhere">
              <Change was={was} is={is} />
            </dd>
          </div>
        ))}
      </dl>
      {!isAll && (
        <>
          <p className="font-medium">More differs than is listed here. These are all arguments as changed:</p>
          <Facts values={after} />
        </>
      )}
    </>
  );
}

function Change({ was, is }: { was: unknown; is: unknown }) {
  if (typeof was === "string" && typeof is === "string" && areAlike(was, is))
    return <WordDiff before={was} after={is} />;
  return (
    <span className="whitespace-pre-wrap">
      {was !== undefined && (
        <del className="rounded-sm bg-bad-soft px-0.5 text-bad">
          <span className="sr-only">gone: </span>
          <PlainText text={valueText(was)} />
        </del>
      )}{" "}
      {is !== undefined && (
        <ins className="rounded-sm bg-good-soft px-0.5 font-medium text-good no-underline">
          <span className="sr-only">new: </span>
          <PlainText text={valueText(is)} />
        </ins>
      )}
    </span>
  );
}
