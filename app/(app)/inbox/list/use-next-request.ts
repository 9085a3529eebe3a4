"use client";

import { useEffect } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { requestTitle } from "@/lib/format/requests/rows.ts";
import { forgetNext, tellNext, useGoOn } from "../answer/decision-store.ts";
import type { StableRow } from "./use-request-rows.ts";

/**
 * Opens the next open request after a decision, focuses its title and tells which it is, unless the person has
 * opened another request or is typing.
 */
export function useNextRequest({
  rows,
  shown,
  listening,
  emptyWords,
  open,
  readOn,
  onClose,
}: {
  rows: StableRow[];
  shown: string | null;
  /** False in the Done tab, whose reader looks back. */
  listening: boolean;
  /** What the list says of itself once nothing is left in it. */
  emptyWords: string;
  open: (id: string) => void;
  readOn: (id: string) => void;
  onClose: () => void;
}): void {
  const formats = useFormats();
  useEffect(() => forgetNext(shown), [shown]);
  useGoOn((id, isSkip) => {
    if (!listening || shown !== id || isTyping()) return;
    const next = rowAfter(rows, id)?.request;
    if (!next) {
      tellNext({ after: id, id: null, words: isSkip ? "No more requests in this list" : emptyWords });
      onClose();
      requestAnimationFrame(() => document.getElementById("all-done")?.focus());
      return;
    }
    tellNext({ after: id, id: next.id, words: `Next: ${requestTitle(next, formats)}` });
    open(next.id);
    readOn(next.id);
  });
}

/**
 * Whether the person types outside the request, for example in the search; the request's own fields are done.
 */
function isTyping(): boolean {
  const active = document.activeElement;
  return active?.matches("input, textarea, select") === true && !active.closest("#request");
}

/** Returns the open request to read after this one: the one below, else the one above, else null. */
export function rowAfter(rows: StableRow[], id: string): StableRow | null {
  const at = rows.findIndex((row) => row.request.id === id);
  const waits = (row: StableRow) => !row.gone && row.request.state === "open" && row.request.id !== id;
  const below = rows.slice(at + 1).find(waits);
  return below ?? rows.slice(0, Math.max(0, at)).findLast(waits) ?? null;
}
