"use client";

import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** The rows near the view. */
export interface NearRows {
  /** In their order. `gap`: px of rows that are not drawn, before this one. */
  rows: { index: number; gap: number }[];
  /** px of the rows after the last of them. */
  after: number;
  /** The indexes of the rows that can be seen: the first, and the one after the last. */
  inView: [number, number];
  /** For the element of a row. */
  measure: (row: Element | null) => void;
  /** Scrolls a row into view, if it is not: to the nearest end, or to the middle. */
  reveal: (index: number, align: "auto" | "center") => void;
}

export interface RowVirtualizerProps {
  ids: string[];
  /** The element that the rows are in. */
  list: RefObject<HTMLElement | null>;
  /** What scrolls it. */
  scroller: () => HTMLElement | null;
  rowPx: number;
  /** Ids of rows that stay drawn wherever they are. */
  kept: () => (string | null)[];
  onChange: (near: NearRows) => void;
}

const OVERSCAN = 10;

/** Draws nothing itself: says which rows to draw. A component of its own, so that what measures rows is loaded late. */
export function RowVirtualizer({ ids, list, scroller, rowPx, kept, onChange }: RowVirtualizerProps) {
  /** px from the top of what scrolls to the list. */
  const [margin, setMargin] = useState(() => marginOf(list.current, scroller()));
  // What stands above the list may grow: a notice, a line of filters.
  useLayoutEffect(() => {
    const now = marginOf(list.current, scroller());
    if (Math.abs(now - margin) > 1) setMargin(now);
  });
  // It begins with what is on the screen, so that nothing moves.
  const [start] = useState(() => measureDrawn(list.current, scroller(), ids, margin));
  const getItemKey = useCallback((index: number) => ids[index] ?? index, [ids]);
  const virtual = useVirtualizer<HTMLElement, Element>({
    ...start,
    count: ids.length,
    getItemKey,
    getScrollElement: scroller,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: margin,
    rangeExtractor: (range: Range) => {
      const there = kept()
        .map((id) => (id === null ? -1 : ids.indexOf(id)))
        .filter((index) => index !== -1);
      return [...new Set([...defaultRangeExtractor(range), ...there])].sort((a, b) => a - b);
    },
  });
  const items = virtual.getVirtualItems();
  const end = items.at(-1)?.end ?? margin;
  const rows = items.map(({ index, start }, at) => ({ index, gap: start - (items[at - 1]?.end ?? margin) }));
  const after = Math.max(0, virtual.getTotalSize() + margin - end);
  const { range } = virtual;
  const inView: NearRows["inView"] = range ? [range.startIndex, range.endIndex + 1] : [0, 0];
  const said = useRef("");
  useLayoutEffect(() => {
    const now = JSON.stringify([rows, after, inView]);
    if (said.current === now) return;
    said.current = now;
    onChange({
      rows,
      after,
      inView,
      measure: virtual.measureElement,
      reveal: (index, align) => virtual.scrollToIndex(index, { align }),
    });
  });
  return null;
}

function marginOf(list: HTMLElement | null, scroller: HTMLElement | null): number {
  if (!list || !scroller) return 0;
  const top = list.getBoundingClientRect().top + list.clientTop - scroller.getBoundingClientRect().top;
  return top + scroller.scrollTop;
}

function measureDrawn(list: HTMLElement | null, scroller: HTMLElement | null, ids: string[], margin: number) {
  const drawn = [...(list?.querySelectorAll("[data-index]") ?? [])];
  const [first] = drawn;
  if (!first || !scroller) return {};
  const top = first.getBoundingClientRect().top - margin;
  return {
    initialOffset: scroller.scrollTop,
    initialRect: { width: scroller.offsetWidth, height: scroller.offsetHeight },
    initialMeasurementsCache: drawn.map((row, index): VirtualItem => {
      const rect = row.getBoundingClientRect();
      const [start, end] = [rect.top - top, rect.bottom - top];
      return { key: ids[index] ?? index, index, start, size: rect.height, end, lane: 0 };
    }),
  };
}
