"use client";

import type { RefObject } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { keyPress } from "./decision/decision-offer.ts";

/** Leads to where one writes a comment, if one may. */
export function goToComment(): void {
  document.getElementById("comment-text")?.focus();
}

/** The single keys of one request: A, R, 3, 4, D, C, S, B, M. A key whose action is not offered does nothing. */
export function useAnswerKeys({
  affirmative,
  other,
  onlyFocus,
  showQuestion,
  decline,
  claim,
  skip,
  snooze,
}: {
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  /** A, or R, only focuses its button; Enter then decides. */
  onlyFocus: { affirmative: boolean; other: boolean };
  /**
   * Scrolls the question into view. Returns false if the question was out of view, so that a person reads it
   * before deciding.
   */
  showQuestion: () => boolean;
  decline: (() => void) | null;
  claim: (() => void) | null;
  /** Leads to the next request and sends nothing. */
  skip: () => void;
  snooze: (() => void) | null;
}) {
  const press = (button: HTMLButtonElement | null, onlyFocus: boolean) => {
    if (!button) return;
    const inView = showQuestion();
    // A button that is off shows its reason beside it, or waits for a tick.
    switch (keyPress({ off: button.ariaDisabled === "true", inView, onlyFocus })) {
      case "lead to the tick":
        return document.getElementById("see-first")?.focus();
      case "focus":
        return button.focus();
      case "press":
        return button.click();
      case "show the question":
    }
  };
  /** A choice beyond the second: one of many, so that Enter decides. */
  const reach = (key: string) =>
    press(document.querySelector<HTMLButtonElement>(`#decide [aria-keyshortcuts="${key}"]`), true);
  useShortcuts({
    3: () => reach("3"),
    4: () => reach("4"),
    a: () => press(affirmative.current, onlyFocus.affirmative),
    r: () => press(other.current, onlyFocus.other),
    d: (event) => {
      event.preventDefault();
      decline?.();
    },
    c: () => claim?.(),
    s: skip,
    b: () => snooze?.(),
    m: (event) => {
      event.preventDefault();
      goToComment();
    },
  });
}
