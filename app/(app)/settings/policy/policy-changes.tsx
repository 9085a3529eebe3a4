"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { policyChanges } from "@/lib/policy/call-rules/call-rule-words.ts";
import { useConditionWords } from "../conditions/condition-text.tsx";

/** What a change of the policy was, in words. Conditions are words where rows can say them, and then stand in CEL behind a fold. */
export function PolicyChanges({ changes }: { changes: Record<string, unknown> }) {
  const wordsOf = useConditionWords();
  const inCel = policyChanges(changes);
  const inWords = policyChanges(changes, (condition, rules) => wordsOf(condition, rules) ?? condition);
  return (
    <div className="flex min-w-0 max-w-full flex-col gap-1.5">
      <p className="whitespace-pre-line break-words">
        <PlainText text={inWords || "No changes"} />
      </p>
      {inWords !== inCel && (
        <details>
          <summary className="w-fit cursor-pointer text-muted max-md:py-2.5">Conditions in CEL</summary>
          <p className="mt-1.5 whitespace-pre-line break-words rounded-md bg-sunken px-2 py-1 font-mono text-xs">
            <PlainText text={inCel} />
          </p>
        </details>
      )}
    </div>
  );
}
