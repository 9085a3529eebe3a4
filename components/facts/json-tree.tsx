"use client";

import { useState } from "react";
import { FoldedText } from "@/components/text/folded-text.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { ENTRIES_SHOWN, nodesIn } from "@/lib/text/facts/facts.ts";
import { asJson } from "@/lib/text/labels.ts";

/** Nobody reads more at a glance, and a browser draws so many in a moment. */
const MOST_OPEN = 300;

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
  const levels = nodesIn(value, open) > MOST_OPEN ? 1 : open;
  return (
    <ScrollX label={label} className="px-3 py-2 font-mono text-xs leading-5">
      <Node value={value} open={levels} />
    </ScrollX>
  );
}

/** Names of others could write lines of their own. */
const PLAIN_NAME = /^[\w$.-]+$/;

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  const [unfolded, setUnfolded] = useState(open > 0);
  const [shown, setShown] = useState(ENTRIES_SHOWN);
  const label = name !== undefined && (
    <span className="text-muted">
      <PlainText text={PLAIN_NAME.test(name) ? name : asJson(name)} />:{" "}
    </span>
  );
  if (typeof value !== "object" || value === null) {
    return (
      <div className="whitespace-pre-wrap break-words pl-4">
        {label}
        <span className={cn(typeof value === "string" ? "text-ink" : "text-accent")}>
          <FoldedText text={JSON.stringify(value) ?? "null"} />
        </span>
      </div>
    );
  }
  const entries = Object.entries(value);
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
    <details open={unfolded} onToggle={(event) => setUnfolded(event.currentTarget.open)}>
      <summary className="rounded-sm marker:text-faint max-md:py-3">
        {label}
        {left}
        <span className="text-faint">
          {entries.length} {right}
        </span>
      </summary>
      {/* Folded entries are not rendered: they may be a megabyte. */}
      {unfolded && (
        <div className="pl-4">
          {entries.slice(0, shown).map(([key, child]) => (
            <Node key={key} name={key} value={child} open={open - 1} />
          ))}
          {entries.length > shown && (
            <Button
              variant="link"
              className="ml-4 px-0 text-xs max-md:min-h-11"
              onClick={() => setShown(shown + ENTRIES_SHOWN)}
            >
              Show {Math.min(ENTRIES_SHOWN, entries.length - shown)} more of {entries.length}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}
