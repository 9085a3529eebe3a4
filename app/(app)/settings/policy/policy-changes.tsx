"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { policyChanges } from "@/lib/policy/call-rules/call-rule-words.ts";
import { quoted } from "@/lib/text/foreign/quoted.ts";
import { useConditionWords } from "../conditions/condition-text.tsx";

/**
 * What a change of the policy was, in words. Conditions are words where rows can say them, and then stand in CEL behind a fold; open
 * where a name or a value could be misread.
 */
export function PolicyChanges({ changes }: { changes: Record<string, unknown> }) {
  const wordsOf = useConditionWords();
  const inCel = policyChanges(changes);
  let isOrdinary = true;
  const inWords = policyChanges(changes, (condition, rules) => {
    const said = wordsOf(condition, rules) ?? celInWords(condition);
    isOrdinary &&= said.isOrdinary;
    return said.words;
  });
  const cel = (
    <p className="mt-1.5 whitespace-pre-line break-words rounded-md bg-sunken px-2 py-1 font-mono text-xs">
      <PlainText text={inCel} />
    </p>
  );
  return (
    <div className="flex min-w-0 max-w-full flex-col gap-1.5">
      <p className="whitespace-pre-line break-words">
        <PlainText text={inWords || "No changes"} />
      </p>
      {inWords !== inCel && isOrdinary && (
        <details>
          <summary className="w-fit cursor-pointer text-muted max-md:py-2.5">Conditions in CEL</summary>
          {cel}
        </details>
      )}
      {inWords !== inCel && !isOrdinary && (
        <div>
          <p className="text-muted">Conditions in CEL</p>
          {cel}
        </div>
      )}
    </div>
  );
}

/** In quotation marks, since a comment in CEL could read as another part of the rule. */
function celInWords(condition: string) {
  const words = quoted(condition);
  return { words, isOrdinary: words === `“${condition}”` };
}
