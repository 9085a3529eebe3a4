"use client";

import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import type { Selection } from "./use-selection.ts";
import type { TaskRow } from "./use-task-rows.ts";

/** J and K walk through the rows, X selects; Enter opens, as the row that has the focus is a link. */
export function useListKeys({
  rows,
  selection,
  reveal,
}: {
  rows: TaskRow[];
  /** Null: who looks may not change anything. */
  selection: Selection | null;
  /** Brings the row at an index into view. */
  reveal: (index: number) => void;
}) {
  const step = (by: 1 | -1) => () => {
    const at = rows.findIndex(({ task }) => task.id === focusedTask());
    const next = at === -1 ? 0 : at + by;
    const id = rows[next]?.task.id;
    if (!id) return;
    reveal(next);
    focusSoon(id);
  };
  const mark = (how: "toggle" | "extend") => () => {
    const id = focusedTask();
    if (id) selection?.[how](id);
  };
  useShortcuts({
    j: step(1),
    k: step(-1),
    x: mark("toggle"),
    "shift+x": mark("extend"),
    escape: () => selection && selection.ids.length > 0 && selection.clear(),
  });
}

function focusedTask(): string | null {
  const row = document.activeElement?.closest("[data-task]");
  return row instanceof HTMLElement ? (row.dataset.task ?? null) : null;
}

/** A row that was out of view is drawn a moment after it was scrolled to. */
function focusSoon(id: string, tries = 10) {
  const link = document.getElementById(`task-${id}`);
  if (link) link.focus();
  else if (tries > 0) requestAnimationFrame(() => focusSoon(id, tries - 1));
}
