"use client";

import { useState } from "react";
import { useGoOn } from "../answer/decision-store.ts";
import { rowAfter } from "./next-row.ts";
import type { StableRow } from "./use-stable-rows.ts";

/**
 * After a decision the next open request is shown, and its title takes the focus. Whoever has opened another one
 * meanwhile, or is typing somewhere, is left in peace. Returns what to announce.
 */
export function useNextRequest({
  rows,
  shown,
  listening,
  open,
  readOn,
  onClose,
}: {
  rows: StableRow[];
  shown: string | null;
  /** Not in the list of what is done: its reader looks back. */
  listening: boolean;
  open: (id: string) => void;
  readOn: (id: string) => void;
  onClose: () => void;
}): string {
  const [said, setSaid] = useState("");
  useGoOn((id) => {
    if (!listening || shown !== id || isTyping()) return;
    const next = rowAfter(rows, id)?.request;
    if (!next) {
      setSaid("All done: nothing else waits in this list.");
      onClose();
      requestAnimationFrame(() => document.getElementById("all-done")?.focus());
      return;
    }
    setSaid("The next request is open.");
    open(next.id);
    readOn(next.id);
  });
  return said;
}

/** In the search, say; the fields of the request itself have done their part. */
function isTyping(): boolean {
  const active = document.activeElement;
  return active?.matches("input, textarea, select") === true && !active.closest("#request");
}
