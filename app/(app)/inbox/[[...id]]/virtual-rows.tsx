"use client";

import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useCallback, useRef } from "react";
import type { StableRow } from "./use-stable-rows.ts";

/** A row with a message of one line; each is measured once it is there. */
const ROW_PX = 87;

export type RowScroller = Virtualizer<HTMLDivElement, HTMLLIElement>;

/**
 * Draws only the rows near the view. The row with the focus stays drawn wherever the list is scrolled to, so that
 * the focus is never lost; so does the one being read.
 */
export function useVirtualRows(
  rows: StableRow[],
  scroller: RefObject<HTMLDivElement | null>,
  shown: string | null,
): { virtual: RowScroller; focused: RefObject<string | null> } {
  const focused = useRef<string | null>(null);
  const virtual = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => rows[index]?.request.id ?? index, [rows]),
    estimateSize: () => ROW_PX,
    overscan: 8,
    useFlushSync: false,
    rangeExtractor: (range) => {
      const kept = [focused.current, shown]
        .map((id) => (id === null ? -1 : rows.findIndex((row) => row.request.id === id)))
        .filter((index) => index !== -1);
      return [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b);
    },
  });
  return { virtual, focused };
}

/**
 * A plain list of links. Its items say their place and the size of the whole, of which only a part is drawn. Not a
 * listbox: that would take the links from a screen reader. Not a feed: that has keys of its own, and J and K serve.
 */
export function VirtualRows({
  rows,
  virtual,
  focused,
  total,
  children,
}: {
  rows: StableRow[];
  virtual: RowScroller;
  focused: RefObject<string | null>;
  /** Null: not known. */
  total: number | null;
  children: (row: StableRow) => ReactNode;
}) {
  return (
    <ul className="relative border-line border-t" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        if (!row) return null;
        return (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-setsize={total === null ? -1 : Math.max(total, rows.length)}
            aria-posinset={item.index + 1}
            className="absolute inset-x-0 top-0 border-line border-b"
            style={{ transform: `translateY(${item.start}px)` }}
            onFocus={() => {
              focused.current = row.request.id;
            }}
            onBlur={() => {
              focused.current = null;
            }}
          >
            {children(row)}
          </li>
        );
      })}
    </ul>
  );
}
