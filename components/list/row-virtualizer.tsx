"use client";

import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** Which rows are near the view, and what follows from it. Positions are px from the top of the list. */
export interface NearRows {
  rows: { index: number; start: number; end: number }[];
  /** The height of the list. */
  size: number;
  first: number;
  last: number;
  measure: (row: Element | null) => void;
  scrollTo: (index: number, align: "auto" | "center") => void;
}

export interface RowVirtualizerProps {
  ids: string[];
  /** The element that the rows are in. */
  list: RefObject<HTMLElement | null>;
  /** What scrolls it. */
  scroller: () => HTMLElement | null;
  /** px from the top of what scrolls to the list. */
  margin: number;
  rowPx: number;
  /** Ids of rows that stay drawn wherever they are. */
  kept: () => (string | null)[];
  onChange: (near: NearRows) => void;
}

const OVERSCAN = 10;

/** Draws nothing itself: says which rows to draw. A component of its own, so that what measures rows is loaded late. */
export function RowVirtualizer({ ids, list, scroller, margin, rowPx, kept, onChange }: RowVirtualizerProps) {
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
  const size = virtual.getTotalSize();
  const { range } = virtual;
  const said = useRef("");
  useLayoutEffect(() => {
    const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? -1];
    const rows = items.map(({ index, start: top, end }) => ({
      index,
      start: top - margin,
      end: end - margin,
    }));
    const now = JSON.stringify([rows, size, first, last]);
    if (said.current === now) return;
    said.current = now;
    onChange({
      rows,
      size,
      first,
      last,
      measure: virtual.measureElement,
      scrollTo: (index, align) => virtual.scrollToIndex(index, { align }),
    });
  });
  return null;
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
