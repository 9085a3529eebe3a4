"use client";

import { PlainText } from "@/components/text/plain-text.tsx";
import { rowsIn } from "@/lib/policy/conditions/rows-from-cel.ts";
import type { Rules } from "@/lib/policy/conditions/vocabulary.ts";
import { rowsInWords } from "./condition-words.ts";
import { useValueNames } from "./value-names.ts";

/** A condition in words if rows can say it, else in CEL. */
export function ConditionText({ condition, rules }: { condition: string; rules: Rules }) {
  const { nameOf } = useValueNames();
  const rows = rowsIn(condition, rules);
  if (rows !== null)
    return (
      <span className="block break-words text-[13px] text-ink">
        <PlainText text={`When ${rowsInWords(rows, nameOf)}`} />
      </span>
    );
  return (
    <code className="mt-1 block whitespace-pre-wrap break-words rounded-md bg-sunken px-2 py-1 font-mono text-[13px]">
      <PlainText text={condition} />
    </code>
  );
}
