"use client";

import {
  type ComponentType,
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
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
        rowPx={rowPx}
        kept={() => [focused.current, shown]}
        onChange={setNear}
      />
    ),
  };
  // None is near before what scrolls the list is known.
  if (near && near.rows.length > 0) {
    return {
      ...common,
      rows: near.rows,
      after: near.after,
      inView: ids.slice(...near.inView),
      reveal: (index, align = "auto") => {
        near.reveal(index, align);
        return true;
      },
    };
  }
  const first = Math.min(ids.length, FIRST_DRAWN);
  return {
    ...common,
    rows: Array.from({ length: first }, (_, index) => ({ index, gap: 0 })),
    after: (ids.length - first) * rowPx,
    inView: ids.slice(0, Math.floor((scroller()?.clientHeight ?? 0) / (rowPx * TALL))),
    reveal: (index, align = "auto") => scrollToDrawn(list.current, index, align),
  };
}

function scrollToDrawn(list: HTMLElement | null, index: number, align: "auto" | "center"): boolean {
  const row = list?.querySelector(`[data-index="${index}"]`);
  row?.scrollIntoView({ block: align === "center" ? "center" : "nearest" });
  return row !== undefined && row !== null;
}
