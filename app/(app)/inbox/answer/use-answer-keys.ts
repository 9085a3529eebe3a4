"use client";

import type { RefObject } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";

/** Two presses of a key within this are one press that bounced: a person has not read what came up in between. */
const BOUNCE_MS = 250;
// Outside React: the next request may stand there by the second press.
let last = { key: "", at: 0 };

/** Whether this press is a first one, and not the echo of one before it. */
function isFirst(key: string): boolean {
  const now = performance.now();
  const first = last.key !== key || now - last.at > BOUNCE_MS;
  last = { key, at: now };
  return first;
}

/** The single keys of one request: A, R, D, C. A key that is not offered now does nothing. */
export function useAnswerKeys({
  affirmative,
  other,
  onlyFocus,
  showQuestion,
  decline,
  claim,
}: {
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  /** A, or R, moves the focus to its button; Enter decides then. */
  onlyFocus: { affirmative: boolean; other: boolean };
  /** Brings the question into view; false: it was not, so that a person reads before deciding. */
  showQuestion: () => boolean;
  decline: (() => void) | null;
  claim: (() => void) | null;
}) {
  const press = (button: HTMLButtonElement | null, focusOnly: boolean) => {
    // Disabled, it says why beside it.
    if (!button || button.disabled || !showQuestion()) return;
    if (focusOnly) button.focus();
    else button.click();
  };
  useShortcuts({
    a: () => isFirst("a") && press(affirmative.current, onlyFocus.affirmative),
    r: () => isFirst("r") && press(other.current, onlyFocus.other),
    d: (event) => {
      event.preventDefault();
      decline?.();
    },
    c: () => claim?.(),
  });
}
