"use client";

import { type ReactNode, useMemo, useState } from "react";
import { FoldedText, useFold, useRevealed } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { ENTRIES_SHOWN, levelsOf, nodesIn } from "@/lib/text/facts/facts.ts";
import { asJson, plural } from "@/lib/text/labels.ts";

/** Entries that are open at first: nobody reads more at a glance. A value of fewer than MOST_WHOLE is open as a whole. */
const MOST_OPEN = 300;
const MOST_WHOLE = 100;
/** Most entries of a whole tree that are drawn at once, which a browser does without a pause. */
const MOST_REVEALED = 2_000;
/** The same of one list. */
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

/** Each level moves to the right: deeper ones are drawn as text, which a narrow frame has room for. */
const MOST_DRAWN = 10;
const INDENT = "pl-4 max-md:pl-2.5";

/** Names of others could write lines of their own, or be read as two. */
const PLAIN_NAME = /^[\w$-]+$/;

function Node({
  name = "",
  value,
  open,
  depth = 0,
}: {
  name?: string;
  value: unknown;
  open: number;
  depth?: number;
}) {
  const revealed = useRevealed();
  const { path, inner, links } = withoutChain(name, value);
  const levels = open - links;
  const label = path !== "" && (
    <span className="text-muted">
      <PlainText text={path} />:{" "}
    </span>
  );
  // Of more than a browser draws as a tree, the rest is text too.
  return !hasEntries(inner) || depth >= MOST_DRAWN || (revealed && levels <= 0) ? (
    <Leaf label={label} value={inner} />
  ) : (
    <Branch label={label} value={inner} open={levels} depth={depth} />
  );
}

/** Objects and lists of one entry stand on one line with it: `order.lines[0].price`. */
function withoutChain(name: string, value: unknown): { path: string; inner: unknown; links: number } {
  let [path, inner, links] = [name, value, 0];
  while (hasEntries(inner)) {
    const [only = "", ...others] = Object.keys(inner);
    if (others.length > 0) break;
    path += (Array.isArray(inner) || path === "" ? "" : ".") + nameIn(inner, only);
    inner = (inner as Record<string, unknown>)[only];
    links++;
  }
  return { path, inner, links };
}

function nameIn(parent: object, key: string): string {
  if (Array.isArray(parent)) return `[${key}]`;
  return PLAIN_NAME.test(key) ? key : asJson(key);
}

function hasEntries(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function Leaf({ label, value }: { label: ReactNode; value: unknown }) {
  return (
    <div className={cn("wrap-anywhere whitespace-pre-wrap", INDENT)}>
      {label}
      <span className={cn(typeof value === "string" || hasEntries(value) ? "text-ink" : "text-accent")}>
        <FoldedText text={JSON.stringify(value) ?? "null"} />
      </span>
    </div>
  );
}

function Branch({
  label,
  value,
  open,
  depth,
}: {
  label: ReactNode;
  value: object;
  open: number;
  depth: number;
}) {
  const revealed = useRevealed();
  const entries = Object.entries(value);
  const unfolded = useFold<HTMLElement>({ what: "values", count: entries.length }, { startsOpen: open > 0 });
  const [pressed, setPressed] = useState(0);
  const shown = Math.max(ENTRIES_SHOWN * (pressed + 1), revealed ? ENTRIES_REVEALED : 0);
  const left = entries.slice(shown);
  const more = useFold<HTMLButtonElement>(
    unfolded.open && left.length > 0 ? { what: "values", count: left.length } : null,
  );
  const [begin, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return (
    <details open={unfolded.open} onToggle={(event) => unfolded.setOpen(event.currentTarget.open)}>
      <summary ref={unfolded.ref} className="wrap-anywhere rounded-sm marker:text-faint max-md:py-3">
        {label}
        {begin}
        <span className="text-faint">
          {entries.length} {end}
        </span>
      </summary>
      {/* Folded entries are not rendered: they may be a megabyte. */}
      {unfolded.open && (
        <div className={INDENT}>
          {entries.slice(0, shown).map(([key, child]) => (
            <Node key={key} name={nameIn(value, key)} value={child} open={open - 1} depth={depth + 1} />
          ))}
          {left.length > 0 &&
            (revealed ? (
              <Leaf
                label={<span className="text-muted">{plural(left.length, "more value")}: </span>}
                value={Array.isArray(value) ? value.slice(shown) : Object.fromEntries(left)}
              />
            ) : (
              <Button
                ref={more.ref}
                variant="link"
                className="ml-4 px-0 text-xs max-md:min-h-11"
                onClick={() => setPressed(Math.ceil(shown / ENTRIES_SHOWN))}
              >
                Show {Math.min(ENTRIES_SHOWN, left.length)} more of {entries.length}
              </Button>
            ))}
        </div>
      )}
    </details>
  );
}
