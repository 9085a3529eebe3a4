"use client";

import {
  createContext,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";

/** A part of a page that is folded away. `count`: of characters, fields, lines, values, documents or hidden places. */
export interface Fold {
  what: "message" | "fields" | "lines" | "text" | "values" | "documents" | "hidden";
  count: number;
}

interface Noted {
  fold: Fold;
  element: HTMLElement | null;
}

/** Null outside of a card: nothing there waits until the folds are open. */
const CardFolds = createContext<{
  revealed: boolean;
  /** Notes a fold that nobody has opened yet; null: it was opened, or is gone. */
  note: (id: string, noted: Noted | null) => void;
} | null>(null);

export const CardFoldsProvider = CardFolds.Provider;

/** The folds of a card that nobody has opened since the card is on the screen. */
export function useCardFolds() {
  const noted = useRef(new Map<string, Noted>());
  const [unopened, setUnopened] = useState<Fold[]>([]);
  const [opened, setOpened] = useState<Fold[]>([]);
  const revealed = opened.length > 0;
  const note = useCallback((id: string, each: Noted | null) => {
    if (each) noted.current.set(id, each);
    else noted.current.delete(id);
    setUnopened([...noted.current.values()].map(({ fold }) => fold));
  }, []);
  return {
    /** After `reveal()` too: what is still loading has not been read. */
    unopened,
    /** What `reveal()` has opened. */
    opened,
    /** For `CardFoldsProvider`. */
    card: useMemo(() => ({ revealed, note }), [revealed, note]),
    /** Opens all folds, focuses the first one, and returns the height in the window at which its hidden part begins. */
    reveal: (): number | null => {
      const elements = [...noted.current.values()].flatMap(({ element }) => element ?? []);
      const ends = elements.map((element) => element.getBoundingClientRect().bottom);
      const first = elements[ends.indexOf(Math.min(...ends))];
      flushSync(() => setOpened(unopened));
      first?.focus({ preventScroll: true });
      return first ? Math.min(...ends) : null;
    },
  };
}

/** Whether a press may have to open the folds first: outside of a card none does. */
export function useOnCard(): boolean {
  return useContext(CardFolds) !== null;
}

/** Whether all folds of the card were opened at once. */
export function useRevealed(): boolean {
  return useContext(CardFolds)?.revealed ?? false;
}

/**
 * A part of a page that is folded at first. `fold`: null if nothing is folded away. `startsOpen`: it is open without a
 * press; `isLoading`: it has been opened, and there is nothing to read yet.
 * `ref`: of an element that can take the focus, and at whose end the hidden part begins.
 */
export function useFold<Element extends HTMLElement>(
  fold: Fold | null,
  { startsOpen = false, isLoading = false } = {},
): { open: boolean; setOpen: (open: boolean) => void; ref: RefObject<Element | null> } {
  const { revealed = false, note } = useContext(CardFolds) ?? {};
  const id = useId();
  const ref = useRef<Element>(null);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? (startsOpen || (revealed && fold !== null));
  // A person who has opened it may fold it again.
  const isUnread = isLoading || (!open && chosen === null);
  const [what, count] = fold && isUnread ? [fold.what, fold.count] : [null, 0];
  useEffect(() => {
    if (!note || what === null) return;
    note(id, { fold: { what, count }, element: ref.current });
    return () => note(id, null);
  }, [note, id, what, count]);
  return { open, setOpen: setChosen, ref };
}

/** Characters, and lines, shown of a longer text until unfolded. A text that is only a little longer is not folded. */
const SHOWN = 400;
const WHOLE = 600;
const LINES_SHOWN = 14;

/** A text that may be a megabyte long: shows the beginning, and the rest on request. `isCode`: as in `PlainText`. */
export function FoldedText({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const { number } = useFormats();
  const lines = text.slice(0, WHOLE).split("\n");
  const isTall = lines.length > LINES_SHOWN;
  const isFolded = text.length > WHOLE || isTall;
  const { open, setOpen, ref } = useFold<HTMLButtonElement>(
    isFolded ? { what: "text", count: text.length } : null,
  );
  if (!isFolded) return <PlainText text={text} isCode={isCode} />;
  const short = (isTall ? lines.slice(0, LINES_SHOWN).join("\n") : text).slice(0, SHOWN);
  return (
    <>
      <PlainText text={open ? text : `${short}…`} isCode={isCode} />
      <Button
        ref={ref}
        variant="link"
        className="flex px-0 font-normal max-md:min-h-11"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? "Show less" : `Show all ${number(text.length)} characters`}
      </Button>
    </>
  );
}
