"use client";

import { FoldedText, useFold } from "@/components/text/folds.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { type DiffPart, diffLines } from "@/lib/text/text-diff.ts";

/** Lines shown of a longer difference until it is unfolded. */
const SHOWN = 40;
const WHOLE = 60;

const MARKS = { same: " ", gone: "−", new: "+" } as const;
const WORDS = { same: "", gone: "gone: ", new: "new: " } as const;

/** Two untrusted texts of code, line by line. Deletions and insertions are marked by more than colour. `before`: null if it is not known. */
export function LineDiff({ before, after, label }: { before: string | null; after: string; label: string }) {
  const lines: DiffPart[] =
    before === null ? after.split("\n").map((text) => ({ kind: "new", text })) : diffLines(before, after);
  const isLong = lines.length > WHOLE;
  const { open, setOpen, ref } = useFold<HTMLButtonElement>(
    isLong ? { what: "lines", count: lines.length - SHOWN } : null,
  );
  return (
    <ScrollX label={label} className="py-2 font-mono text-xs leading-5">
      {(isLong && !open ? lines.slice(0, SHOWN) : lines).map(({ kind, text, note }, index) => {
        // The lines are computed from two fixed texts, so the index is a stable key.
        const key = index;
        return (
          <div
            key={key}
            className={cn(
              "flex whitespace-pre-wrap break-words px-3",
              kind === "gone" && "bg-bad-soft",
              kind === "new" && "bg-good-soft",
            )}
          >
            <span aria-hidden className="w-4 shrink-0 select-none text-muted">
              {MARKS[kind]}
            </span>
            <span className="sr-only">{WORDS[kind]}</span>
            <span className="min-w-0">
              <FoldedText text={text} isCode />
              {note && <span className="select-none font-sans text-muted"> ({note})</span>}
            </span>
          </div>
        );
      })}
      {isLong && (
        <Button
          ref={ref}
          variant="link"
          className="ml-3 px-0 text-xs max-md:min-h-11"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? "Show fewer lines" : `Show all ${lines.length} lines`}
        </Button>
      )}
    </ScrollX>
  );
}
