"use client";

import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { isWide } from "@/components/ui/wide.ts";
import { idInAddress } from "../toolbar/use-inbox-place.ts";
import { rowBeside } from "./next-row.ts";
import type { Selection } from "./use-selection.ts";
import type { StableRow } from "./use-stable-rows.ts";

/** The keys of the list. Where a row has the focus, the focus goes along. */
export function useListKeys({
  rows,
  shown,
  selection,
  mayAnswer,
  open,
  readOn,
  onBack,
  onSelecting,
}: {
  rows: StableRow[];
  shown: string | null;
  selection: Selection;
  mayAnswer: boolean;
  open: (id: string) => void;
  readOn: (id: string) => void;
  onBack: () => void;
  onSelecting: (on: boolean) => void;
}) {
  const step = (by: 1 | -1) => () => {
    const focused = focusedRow();
    const next = rowBeside(rows, focused ?? idInAddress() ?? shown, by)?.request.id;
    if (!next) return;
    open(next);
    if (focused) focusRow(next);
  };
  const current = () => {
    const id = focusedRow() ?? idInAddress() ?? shown;
    const row = rows.find((each) => each.request.id === id);
    return mayAnswer && row && !row.gone && row.request.state === "open" ? row.request.id : null;
  };
  useShortcuts({
    j: step(1),
    k: step(-1),
    x: () => {
      const id = current();
      if (id) selection.toggle(id);
    },
    "shift+x": () => {
      const id = current();
      if (id) selection.extend(id);
    },
    enter: (event) => {
      if (document.activeElement !== document.body || !shown) return;
      event.preventDefault();
      readOn(shown);
    },
    escape: () => {
      const active = document.activeElement;
      if (active instanceof HTMLElement && active.matches("input, textarea, select")) return active.blur();
      if (selection.selected.length > 0) {
        selection.clear();
        return onSelecting(false);
      }
      if (!isWide()) return onBack();
      if (shown) focusRow(shown);
    },
  });
}

/** The row that the keyboard is on, or whose box is. */
function focusedRow(): string | null {
  const row = document.activeElement?.closest("li")?.querySelector("a[id^=row-]");
  return row ? row.id.slice("row-".length) : null;
}

function focusRow(id: string) {
  document.getElementById(`row-${id}`)?.focus();
}
