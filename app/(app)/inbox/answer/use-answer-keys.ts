"use client";

import type { RefObject } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import type { Field } from "@/lib/mcp/forms/form.ts";
import { keyPress } from "./decision/decision-offer.ts";

/** The single keys of one request: A, R, 1 to 4, D, E, W, V, C, S, B, M. A key whose action is not offered does nothing. */
export function useAnswerKeys({
  affirmative,
  other,
  onlyFocus,
  read,
  showQuestion,
  missing,
  onMissing,
  decline,
  edit,
  stand,
  revise,
  claim,
  skip,
  snooze,
  discuss,
}: {
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  /** A, or R, only focuses its button; Enter then decides. */
  onlyFocus: { affirmative: boolean; other: boolean };
  /** The last press led to what was folded away: the next one decides, from wherever the person reads. */
  read: boolean;
  /**
   * Scrolls the question into view. Returns false if the question was out of view, so that a person reads it
   * before deciding.
   */
  showQuestion: () => boolean;
  /** Returns the first field that has to be filled in before A sends the form; null if none has. */
  missing: () => Field | null;
  onMissing: (field: Field) => void;
  decline: (() => void) | null;
  edit: (() => void) | null;
  stand: (() => void) | null;
  revise: (() => void) | null;
  claim: (() => void) | null;
  /** Leads to the next request and sends nothing. */
  skip: () => void;
  snooze: (() => void) | null;
  /** Leads to where one writes to colleagues. */
  discuss: () => void;
}) {
  const press = (button: HTMLButtonElement | null, onlyFocus: boolean, missing: Field | null = null) => {
    if (!button) return;
    const inView = read || showQuestion();
    // A button that is off shows its reason beside it, or waits for a tick.
    switch (
      keyPress({ off: button.ariaDisabled === "true", inView, isMissing: missing !== null, onlyFocus })
    ) {
      case "lead to the tick":
        return document.getElementById("see-first")?.focus();
      case "lead to the field":
        return missing && onMissing(missing);
      case "focus":
        return button.focus();
      case "press":
        return button.click();
      case "show the question":
    }
  };
  /** A choice that is neither a yes nor the no to it: one of many, so that Enter decides. */
  const reach = (key: string) =>
    press(document.querySelector<HTMLButtonElement>(`#decide [aria-keyshortcuts="${key}"]`), true);
  useShortcuts({
    ...Object.fromEntries(["1", "2", "3", "4"].map((key) => [key, () => reach(key)])),
    a: (event) => {
      // The key would be typed into the field that it leads to.
      event.preventDefault();
      press(affirmative.current, onlyFocus.affirmative, missing());
    },
    r: (event) => {
      // So would this one, into the reason that it may ask for.
      event.preventDefault();
      press(other.current, onlyFocus.other);
    },
    d: (event) => {
      event.preventDefault();
      decline?.();
    },
    e: (event) => {
      event.preventDefault();
      edit?.();
    },
    w: (event) => {
      event.preventDefault();
      stand?.();
    },
    v: (event) => {
      event.preventDefault();
      revise?.();
    },
    c: () => claim?.(),
    s: skip,
    b: () => snooze?.(),
    m: (event) => {
      event.preventDefault();
      discuss();
    },
  });
}
