"use client";

import {
  type ComponentType,
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { insist, onFirstTouch } from "@/components/ui/load-late.ts";
import type { NearRows, RowVirtualizerProps } from "./row-virtualizer.tsx";

/** As many as the tallest of screens shows. */
const FIRST_DRAWN = 30;
/** How much higher than others a row may be. */
const TALL = 1.25;

export interface RowWindow<E extends HTMLElement> {
  /** For the element that the rows are in. Around it an element with `data-scroller` scrolls. */
  listProps: { ref: RefObject<E | null>; style: CSSProperties };
  /** The rows that are drawn, in their order. `gap`: px of rows that are not, before this one. */
  rows: { index: number; gap: number }[];
  /** px of the rows after the last that is drawn. */
  after: number;
  /** For the element of a row, which has no margins. */
  rowProps: (index: number) => {
    ref: ((row: Element | null) => void) | undefined;
    "data-index": number;
    onFocus: () => void;
    onBlur: () => void;
  };
  /** The ids of the rows that can be seen. */
  inView: string[];
  /** Scrolls a row into view, if it is not: to the nearest end, or to the middle. False: it is not drawn yet. */
  reveal: (index: number, align?: "auto" | "center") => boolean;
  /** Draws nothing that is seen. It stands after the list. */
  virtualizer: ReactNode;
}

/**
 * Draws only the rows near the view, each after the other. The first ones are drawn as they come, also by the server;
 * what measures rows takes over, on the same elements, once the page is used or the list is longer.
 */
export function useRowWindow<E extends HTMLElement>({
  ids,
  rowPx,
  shown = null,
}: {
  /** Of all rows, in their order; the same array while they are the same. */
  ids: string[];
  /** The height of most rows. */
  rowPx: number;
  /** A row that stays drawn, as the one with the focus does. */
  shown?: string | null;
}): RowWindow<E> {
  const list = useRef<E>(null);
  const focused = useRef<string | null>(null);
  const [near, setNear] = useState<NearRows | null>(null);
  const [margin, setMargin] = useState(0);
  const [Virtualizer, setVirtualizer] = useState<ComponentType<RowVirtualizerProps> | null>(null);
  const wanted = ids.length > FIRST_DRAWN * 2 || (shown !== null && ids.indexOf(shown) >= FIRST_DRAWN);
  useEffect(() => {
    const bring = () =>
      void insist(() => import("./row-virtualizer.tsx")).then((file) =>
        setVirtualizer(() => file.RowVirtualizer),
      );
    if (wanted) bring();
    else return onFirstTouch(bring);
  }, [wanted]);
  const scroller = () => list.current?.closest<HTMLElement>("[data-scroller]") ?? null;
  // What stands above the list may grow: a notice, a line of filters.
  useLayoutEffect(() => {
    const [inner, outer] = [list.current, scroller()];
    if (!Virtualizer || !inner || !outer) return;
    const top = inner.getBoundingClientRect().top + inner.clientTop - outer.getBoundingClientRect().top;
    if (Math.abs(top + outer.scrollTop - margin) > 1) setMargin(top + outer.scrollTop);
  });

  const common = {
    listProps: {
      ref: list,
      // What measures rows keeps the view where it is; the browser must not do so besides.
      style: near ? { overflowAnchor: "none" as const } : {},
    },
    rowProps: (index: number) => ({
      ref: near?.measure,
      "data-index": index,
      onFocus: () => {
        focused.current = ids[index] ?? null;
      },
      onBlur: () => {
        focused.current = null;
      },
    }),
    virtualizer: Virtualizer && (
      <Virtualizer
        ids={ids}
        list={list}
        scroller={scroller}
        margin={margin}
        rowPx={rowPx}
        kept={() => [focused.current, shown]}
        onChange={setNear}
      />
    ),
  };
  const drawn = near?.rows.filter(({ index }) => index < ids.length) ?? [];
  // Nothing is near before what scrolls the list is known.
  if (!near || drawn.length === 0) {
    const first = Math.min(ids.length, FIRST_DRAWN);
    const height = scroller()?.clientHeight ?? 0;
    return {
      ...common,
      rows: Array.from({ length: first }, (_, index) => ({ index, gap: 0 })),
      after: (ids.length - first) * rowPx,
      inView: ids.slice(0, Math.floor(height / (rowPx * TALL))),
      reveal: (index, align = "auto") => scrollToDrawn(list.current, index, align),
    };
  }
  return {
    ...common,
    rows: drawn.map(({ index, start }, at) => ({ index, gap: start - (drawn[at - 1]?.end ?? 0) })),
    after: Math.max(0, near.size - (drawn.at(-1)?.end ?? 0)),
    inView: ids.slice(near.first, near.last + 1),
    reveal: (index, align = "auto") => {
      near.scrollTo(index, align);
      return true;
    },
  };
}

function scrollToDrawn(list: HTMLElement | null, index: number, align: "auto" | "center"): boolean {
  const row = list?.querySelector(`[data-index="${index}"]`);
  row?.scrollIntoView({ block: align === "center" ? "center" : "nearest" });
  return row !== undefined && row !== null;
}
