"use client";

import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import type { Selection } from "./use-selection.ts";

/**
 * Attributes of a row's element, by which the keys find the row. The row's link has the id `rowLinkId(id)`.
 */
export const rowMark = (id: string) => ({ "data-row": id });
export const rowLinkId = (id: string) => `row-${id}`;

/**
 * J and K step through the rows, X selects, Shift+X extends the selection to the row, Escape clears the
 * selection. Enter opens the focused row, because the focus is on its link.
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
  /** The ids of the rows, in order. */
  ids: string[];
  /** Null if rows cannot be selected. */
  selection: Pick<Selection, "ids" | "toggle" | "extend" | "clear"> | null;
  selectable?: (id: string) => boolean;
  /** Returns the row that J, K and X start from when no row has the focus. */
  current: () => string | null;
  onStep: (id: string, index: number) => void;
  /** When the focus moves to the new row: always, or only if a row has the focus. */
  focusFollows: "always" | "from-row";
  /** Escape with an empty selection. */
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
      // A row's checkbox is an input too, but Escape there means the selection, not leaving the field.
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

/**
 * Returns the index after (1) or before (-1) the row; 0 if the row is not listed. The index may be out of
 * range.
 */
export function indexBeside(ids: string[], id: string | null, by: 1 | -1): number {
  const at = id === null ? -1 : ids.indexOf(id);
  return at === -1 ? 0 : at + by;
}

/** Returns the id of the row that holds the focus, or null. */
function focusedRow(): string | null {
  const row = document.activeElement?.closest("[data-row]");
  return row instanceof HTMLElement ? (row.dataset.row ?? null) : null;
}

/** Focuses a row's link. Retries for a few frames: a row scrolled into view is rendered a moment later. */
export function focusRow(id: string, tries = 10) {
  const link = document.getElementById(rowLinkId(id));
  if (link) link.focus();
  else if (tries > 0) requestAnimationFrame(() => focusRow(id, tries - 1));
}
