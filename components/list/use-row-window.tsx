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
import { loadWithRetry, onFirstTouch } from "@/components/ui/lazy-component.tsx";
import type { NearRows, RowVirtualizerProps } from "./row-virtualizer.tsx";

/** Rows rendered at first: as many as the tallest screens show. */
const FIRST_DRAWN = 30;
/** Ratio of the tallest row's height to the usual height. */
const TALL = 1.25;

export interface RowWindow<E extends HTMLElement> {
  /** Props of the element that contains the rows. An ancestor with `data-scroller` scrolls. */
  listProps: { ref: RefObject<E | null>; style: CSSProperties };
  /** The rendered rows, in order. `gap`: px of unrendered rows before this row. */
  rows: { index: number; gap: number }[];
  /** px of unrendered rows after the last rendered row. */
  after: number;
  /** Props of a row's element. The element must have no margins. */
  rowProps: (index: number) => {
    ref: ((row: Element | null) => void) | undefined;
    "data-index": number;
    onFocus: () => void;
    onBlur: () => void;
  };
  /** The ids of the visible rows. */
  inView: string[];
  /**
   * Scrolls a row into view unless the row is visible: to the nearest edge, or to the middle. Returns false
   * if the virtualizer is not loaded yet.
   */
  reveal: (index: number, align?: "auto" | "center") => boolean;
  /** Renders nothing visible. Place this element after the list. */
  virtualizer: ReactNode;
}

/**
 * Renders only the rows near the viewport. The first rows are rendered as they come, also on the server. The
 * virtualizer takes over the same elements once the page is used or the list grows.
 */
export function useRowWindow<E extends HTMLElement>({
  ids,
  rowPx,
  shown = null,
}: {
  /** The ids of all rows, in order; the same array while the rows are unchanged. */
  ids: string[];
  /** The height of most rows, in px. */
  rowPx: number;
  /** A row that stays rendered, as the focused row does. */
  shown?: string | null;
}): RowWindow<E> {
  const list = useRef<E>(null);
  const focused = useRef<string | null>(null);
  const [near, setNear] = useState<NearRows | null>(null);
  const [Virtualizer, setVirtualizer] = useState<ComponentType<RowVirtualizerProps> | null>(null);
  const wanted = ids.length > FIRST_DRAWN * 2 || (shown !== null && ids.indexOf(shown) >= FIRST_DRAWN);
  useEffect(() => {
    const bring = () =>
      void loadWithRetry(() => import("./row-virtualizer.tsx")).then((file) =>
        setVirtualizer(() => file.RowVirtualizer),
      );
    if (wanted) bring();
    else return onFirstTouch(bring);
  }, [wanted]);
  const scroller = () => list.current?.closest<HTMLElement>("[data-scroller]") ?? null;

  const common = {
    listProps: {
      ref: list,
      // The virtualizer keeps the scroll position; the browser's own scroll anchoring must not interfere.
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
  // No row is near until the scrolling element is known.
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
