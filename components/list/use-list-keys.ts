"use client";

import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import type { Selection } from "./use-selection.ts";

/** Marks the element of a row, for the keys; the row's link has the id `rowLinkId(id)`. */
export const rowMark = (id: string) => ({ "data-row": id });
export const rowLinkId = (id: string) => `row-${id}`;

/**
 * J and K step through the rows, X selects, Shift+X up to here, Escape gives up what is selected. Enter opens, as the
 * row that has the focus is a link.
 */
export function useListKeys({
  ids,
  selection,
  selectable = () => true,
  current,
  onStep,
  focusFollows,
  onEscape,
}: {
  /** Of the rows, in their order. */
  ids: string[];
  /** Null: nothing may be selected. */
  selection: Pick<Selection, "ids" | "toggle" | "extend" | "clear"> | null;
  selectable?: (id: string) => boolean;
  /** The row to go on from, and to select, where none has the focus. */
  current: () => string | null;
  onStep: (id: string, index: number) => void;
  /** The focus goes to the row stepped to: always, or if a row has it. */
  focusFollows: "always" | "from-row";
  /** With nothing to give up. */
  onEscape?: () => void;
}) {
  const step = (by: 1 | -1) => () => {
    const focused = focusedRow();
    const index = indexBeside(ids, focused ?? current(), by);
    const id = ids[index];
    if (id === undefined) return;
    onStep(id, index);
    if (focused || focusFollows === "always") focusRow(id);
  };
  const mark = (how: "toggle" | "extend") => () => {
    const id = focusedRow() ?? current();
    if (id !== null && selectable(id)) selection?.[how](id);
  };
  useShortcuts({
    j: step(1),
    k: step(-1),
    x: mark("toggle"),
    "shift+x": mark("extend"),
    escape: () => {
      const active = document.activeElement;
      // The box of a row is a field, too; to leave it is not what is meant.
      if (
        active instanceof HTMLElement &&
        active.matches("input, textarea, select") &&
        !active.closest("[data-list]")
      )
        return active.blur();
      if (selection && selection.ids.length > 0) return selection.clear();
      onEscape?.();
    },
  });
}

/** The row that J (1) or K (-1) leads to; from outside the list, its first. May be none. */
export function indexBeside(ids: string[], id: string | null, by: 1 | -1): number {
  const at = id === null ? -1 : ids.indexOf(id);
  return at === -1 ? 0 : at + by;
}

/** The row that the keyboard is on, or whose box is. */
function focusedRow(): string | null {
  const row = document.activeElement?.closest("[data-row]");
  return row instanceof HTMLElement ? (row.dataset.row ?? null) : null;
}

/** A row that was out of view is drawn a moment after it was scrolled to. */
export function focusRow(id: string, tries = 10) {
  const link = document.getElementById(rowLinkId(id));
  if (link) link.focus();
  else if (tries > 0) requestAnimationFrame(() => focusRow(id, tries - 1));
}
