"use client";

import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Copy, Plus, Trash2 } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { insertedAt, moved, removedAt, replacedAt, unusedName } from "./draft.ts";

/** Focuses what has this id, once it is there. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

interface Named {
  name?: string | undefined;
}

/** A list whose items open one at a time: add, duplicate, remove with a way back, and move where the order counts. */
export function OrderedList<T extends Named>({
  label,
  noun,
  place,
  items,
  made,
  onChange,
  open,
  onOpen,
  isOrdered,
  empty,
  words,
  children,
}: {
  label: string;
  noun: string;
  /** In the policy: `rules`. */
  place: string;
  items: T[];
  /** A new item. */
  made: () => T;
  onChange: (items: T[]) => void;
  /** The place of the open item, as `rules.0`. */
  open: string | null;
  onOpen: (place: string | null) => void;
  isOrdered: boolean;
  /** Said while there is none. */
  empty: string;
  words: (item: T, at: number) => ReactNode;
  children: (item: T, at: number, set: (item: T) => void) => ReactNode;
}) {
  const [removed, setRemoved] = useState<{ item: T; at: number } | null>(null);
  const [said, setSaid] = useState("");
  const undoId = useId();
  const placeOf = (at: number) => `${place}.${at}`;
  const headOf = (at: number) => `open-${placeOf(at)}`;
  const nameOf = (item: T, at: number) => item.name?.trim() || `${noun} ${at + 1}`;
  const openAt = items.findIndex((_, at) => placeOf(at) === open);
  const move = (at: number, by: -1 | 1, focus: (to: number) => string) => {
    const next = moved(items, at, by);
    if (next === items) return;
    onChange(next);
    if (openAt === at) onOpen(placeOf(at + by));
    else if (openAt === at + by) onOpen(placeOf(at));
    setSaid(`“${nameOf(items[at]!, at)}” is ${at + by + 1} of ${items.length} now`);
    focusOn(focus(at + by));
  };
  const insert = (at: number, item: T) => {
    onChange(insertedAt(items, at, item));
    onOpen(placeOf(at));
    focusOn(`${placeOf(at)}.name`);
  };
  const remove = (at: number) => {
    const item = items[at]!;
    setRemoved({ item, at });
    onChange(removedAt(items, at));
    if (openAt >= at) onOpen(openAt === at ? null : placeOf(openAt - 1));
    focusOn(undoId);
  };
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium">{label}</h3>
        <Button
          size="sm"
          onClick={() =>
            insert(items.length, {
              ...made(),
              name: unusedName(
                made().name ?? "",
                items.map(({ name }) => name),
              ),
            })
          }
        >
          <Plus aria-hidden strokeWidth={1.75} />
          Add {/^[aeiou]/.test(noun) ? "an" : "a"} {noun}
        </Button>
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
      {items.length === 0 && <p className="text-[13px] text-muted">{empty}</p>}
      <ol
        aria-label={label}
        className="flex min-w-0 flex-col divide-y divide-line rounded-lg border border-line empty:hidden"
      >
        {items.map((item, at) => {
          const isOpen = openAt === at;
          const name = nameOf(item, at);
          const Chevron = isOpen ? ChevronDown : ChevronRight;
          const tool = (part: string) => `${part}-${placeOf(at)}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is what is at its place: its name is typed here
            <li key={at} className="flex min-w-0 flex-col">
              <div className="flex min-w-0 flex-wrap items-start gap-x-2 px-2 py-1.5">
                <button
                  type="button"
                  id={headOf(at)}
                  aria-expanded={isOpen}
                  aria-keyshortcuts={isOrdered ? "Alt+ArrowUp Alt+ArrowDown" : undefined}
                  onClick={() => onOpen(isOpen ? null : placeOf(at))}
                  onKeyDown={(event) => {
                    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
                    if (!isOrdered || !event.altKey || by === null) return;
                    event.preventDefault();
                    move(at, by, headOf);
                  }}
                  className="flex min-w-48 flex-1 items-start gap-1.5 rounded-md py-1 text-left max-md:min-h-11"
                >
                  <Chevron aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" strokeWidth={1.75} />
                  <span className="flex min-w-0 flex-1 flex-col">
                    <span className="break-words font-medium text-[13px]">
                      {isOrdered && <span className="text-muted tabular-nums">{at + 1}. </span>}
                      {name}
                    </span>
                    {!isOpen && <span className="break-words text-[13px] text-muted">{words(item, at)}</span>}
                  </span>
                </button>
                <span className="flex">
                  {isOrdered && (
                    <>
                      <Tool
                        id={tool("up")}
                        label={`Move “${name}” up`}
                        disabled={at === 0}
                        onClick={() =>
                          move(at, -1, (to) => (to === 0 ? `down-${placeOf(to)}` : `up-${placeOf(to)}`))
                        }
                      >
                        <ArrowUp aria-hidden strokeWidth={1.75} />
                      </Tool>
                      <Tool
                        id={tool("down")}
                        label={`Move “${name}” down`}
                        disabled={at === items.length - 1}
                        onClick={() =>
                          move(at, 1, (to) =>
                            to === items.length - 1 ? `up-${placeOf(to)}` : `down-${placeOf(to)}`,
                          )
                        }
                      >
                        <ArrowDown aria-hidden strokeWidth={1.75} />
                      </Tool>
                    </>
                  )}
                  <Tool
                    label={`Duplicate “${name}”`}
                    onClick={() => {
                      const names = items.map((each) => each.name);
                      insert(at + 1, { ...item, name: item.name && unusedName(item.name, names) });
                    }}
                  >
                    <Copy aria-hidden strokeWidth={1.75} />
                  </Tool>
                  <Tool label={`Remove “${name}”`} onClick={() => remove(at)}>
                    <Trash2 aria-hidden strokeWidth={1.75} />
                  </Tool>
                </span>
              </div>
              {isOpen && (
                <div className="flex min-w-0 flex-col gap-4 border-line border-t px-3 py-4">
                  {children(item, at, (now) => onChange(replacedAt(items, at, now)))}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {removed && (
        <p className="flex flex-wrap items-center gap-2 text-[13px] text-muted">
          Removed “{nameOf(removed.item, removed.at)}”
          <Button
            id={undoId}
            size="sm"
            onClick={() => {
              const at = Math.min(removed.at, items.length);
              onChange(insertedAt(items, at, removed.item));
              setRemoved(null);
              focusOn(headOf(at));
            }}
          >
            Undo
          </Button>
        </p>
      )}
    </section>
  );
}

function Tool({ label, ...props }: { label: string } & ComponentProps<typeof Button>) {
  return <Button variant="ghost" size="icon" aria-label={label} title={label} {...props} />;
}
