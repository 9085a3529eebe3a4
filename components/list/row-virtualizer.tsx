"use client";

import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** The rows near the view. */
export interface NearRows {
  /** The rendered rows, in order. `gap`: px of unrendered rows before this row. */
  rows: { index: number; gap: number }[];
  /** px of unrendered rows after the last rendered row. */
  after: number;
  /** The range of visible rows: the first index, and the index after the last. */
  inView: [number, number];
  /** The ref of a row's element. */
  measure: (row: Element | null) => void;
  /** Scrolls a row into view unless the row is visible: to the nearest edge, or to the middle. */
  reveal: (index: number, align: "auto" | "center") => void;
}

export interface RowVirtualizerProps {
  ids: string[];
  /** The element that contains the rows. */
  list: RefObject<HTMLElement | null>;
  /** Returns the element that scrolls the list. */
  scroller: () => HTMLElement | null;
  rowPx: number;
  /** Returns ids of rows that stay rendered wherever they are. */
  kept: () => (string | null)[];
  onChange: (near: NearRows) => void;
}

const OVERSCAN = 10;

/**
 * Renders nothing; reports the rows to render. A separate component, so that the virtualizer is loaded late.
 */
export function RowVirtualizer({ ids, list, scroller, rowPx, kept, onChange }: RowVirtualizerProps) {
  /** px from the top of the scrolling element's content to the list. */
  const [margin, setMargin] = useState(() => marginOf(list.current, scroller()));
  // A notice or a line of filters above the list may change height.
  useLayoutEffect(() => {
    const now = marginOf(list.current, scroller());
    if (Math.abs(now - margin) > 1) setMargin(now);
  });
  // Starts from the rows already rendered, so that nothing moves on the screen.
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
