"use client";

import { useMemo, useState } from "react";
import { FoldedText, useFold, useRevealed } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { ENTRIES_SHOWN, levelsOf, nodesIn } from "@/lib/text/facts/facts.ts";
import { asJson } from "@/lib/text/labels.ts";

/** Entries that are open at first: nobody reads more at a glance. A value of fewer than MOST_WHOLE is open as a whole. */
const MOST_OPEN = 300;
const MOST_WHOLE = 100;
/** A browser draws so many in a moment; of one list, so many. */
const MOST_REVEALED = 2_000;
const ENTRIES_REVEALED = 500;

/** Any JSON value, folded by level. Shows text only: follows no link and loads nothing. */
export function JsonTree({
  value,
  open = 2,
  label = "JSON",
}: {
  value: unknown;
  open?: number;
  label?: string;
}) {
  const revealed = useRevealed();
  const levels = useMemo(() => {
    if (revealed) return levelsOf(value, MOST_REVEALED);
    const whole = levelsOf(value, MOST_WHOLE);
    return Math.max(whole, nodesIn(value, open) > MOST_OPEN ? 1 : open);
  }, [value, open, revealed]);
  return (
    <ScrollX label={label} className="px-3 py-2 font-mono text-xs leading-5">
      <Node value={value} open={levels} />
    </ScrollX>
  );
}

/** Names of others could write lines of their own. */
const PLAIN_NAME = /^[\w$.-]+$/;

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  const revealed = useRevealed();
  const isObject = typeof value === "object" && value !== null;
  const entries = isObject ? Object.entries(value) : [];
  const unfolded = useFold<HTMLElement>(
    entries.length > 0 ? { what: "values", count: entries.length } : null,
    { startsOpen: open > 0, opensAlone: true },
  );
  const [pressed, setPressed] = useState(0);
  const shown = Math.max(ENTRIES_SHOWN * (pressed + 1), revealed ? ENTRIES_REVEALED : 0);
  const more = useFold<HTMLButtonElement>(
    unfolded.open && entries.length > shown ? { what: "values", count: entries.length - shown } : null,
    { opensAlone: true },
  );
  const label = name !== undefined && (
    <span className="text-muted">
      <PlainText text={PLAIN_NAME.test(name) ? name : asJson(name)} />:{" "}
    </span>
  );
  if (!isObject) {
    return (
      <div className="whitespace-pre-wrap break-words pl-4">
        {label}
        <span className={cn(typeof value === "string" ? "text-ink" : "text-accent")}>
          <FoldedText text={JSON.stringify(value) ?? "null"} />
        </span>
      </div>
    );
  }
  const [left, right] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="pl-4">
        {label}
        {left}
        {right}
      </div>
    );
  }
  return (
    <details open={unfolded.open} onToggle={(event) => unfolded.setOpen(event.currentTarget.open)}>
      <summary ref={unfolded.ref} className="rounded-sm marker:text-faint max-md:py-3">
        {label}
        {left}
        <span className="text-faint">
          {entries.length} {right}
        </span>
      </summary>
      {/* Folded entries are not rendered: they may be a megabyte. */}
      {unfolded.open && (
        <div className="pl-4">
          {entries.slice(0, shown).map(([key, child]) => (
            <Node key={key} name={key} value={child} open={open - 1} />
          ))}
          {entries.length > shown && (
            <Button
              ref={more.ref}
              variant="link"
              className="ml-4 px-0 text-xs max-md:min-h-11"
              onClick={() => setPressed(Math.ceil(shown / ENTRIES_SHOWN))}
            >
              Show {Math.min(ENTRIES_SHOWN, entries.length - shown)} more of {entries.length}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}
