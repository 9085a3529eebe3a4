"use client";

import type { RefObject } from "react";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";

/** The single keys of one request: A, R, D, C, Z. A key that is not offered now does nothing. */
export function useAnswerKeys({
  affirmative,
  other,
  onlyFocus,
  showQuestion,
  decline,
  claim,
  undo,
}: {
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  /** A, or R, moves the focus to its button; Enter decides then. */
  onlyFocus: { affirmative: boolean; other: boolean };
  /** Brings the question into view; false: it was not, so that a person reads before deciding. */
  showQuestion: () => boolean;
  decline: (() => void) | null;
  claim: (() => void) | null;
  undo: () => void;
}) {
  const press = (button: HTMLButtonElement | null, focusOnly: boolean) => {
    // Disabled, it says why beside it.
    if (!button || button.disabled || !showQuestion()) return;
    if (focusOnly) button.focus();
    else button.click();
  };
  useShortcuts({
    a: () => press(affirmative.current, onlyFocus.affirmative),
    r: () => press(other.current, onlyFocus.other),
    d: (event) => {
      event.preventDefault();
      decline?.();
    },
    c: () => claim?.(),
    z: undo,
  });
}
