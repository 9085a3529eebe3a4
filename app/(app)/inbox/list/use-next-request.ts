"use client";

import { useEffect } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { requestTitle } from "@/lib/requests/words/inbox-rows.ts";
import { forgetNext, tellNext, useGoOn } from "../answer/decision-store.ts";
import { type StableRow, successorOf } from "./row-changes.ts";

/**
 * Opens the next open request after a decision, focuses its title and tells which it is, unless the person has
 * opened another request or is typing. Brings back a request whose decision was refused.
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
  useGoOn((id, why) => {
    if (why === "refused") {
      const row = rows.find(({ request }) => request.id === id);
      tellNext({ after: id, id, words: `Back to ${row ? requestTitle(row.request, formats) : "it"}` });
      open(id);
      readOn(id);
      return;
    }
    const next = successorOf(
      rows,
      { id, why },
      { shown, typing: isTyping(), looksBack: !listening },
      { empty: emptyWords, titleOf: (request) => requestTitle(request, formats) },
    );
    if (!next) return;
    tellNext({ after: id, ...next });
    if (next.id === null) {
      onClose();
      requestAnimationFrame(() => document.getElementById("all-done")?.focus());
      return;
    }
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
