"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** A line of the table, and about a card on a phone. */
const ROW_PX = 38;

/**
 * Which rows of a list are near the view of what scrolls around it; `before` and `after` are as high as the others.
 */
export function useRowWindow(count: number, keyOf: (index: number) => string, estimate = ROW_PX) {
  const list = useRef<HTMLElement>(null);
  const [margin, setMargin] = useState(0);
  const scroller = () => scrollerOf(list.current);
  // What stands above the list may grow: a notice, a line of filters.
  useLayoutEffect(() => {
    const page = scrollerOf(list.current);
    if (!list.current || !page) return;
    const top = list.current.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  const virtual = useVirtualizer({
    count,
    getScrollElement: scroller,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    overscan: 12,
    scrollMargin: margin,
    initialRect: { width: 1200, height: 900 },
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return {
    list: list as RefObject<never>,
    items,
    before: first ? first.start - margin : 0,
    after: last ? virtual.getTotalSize() - (last.end - margin) : 0,
    measure: virtual.measureElement,
    reveal: (index: number) => virtual.scrollToIndex(index, { align: "auto" }),
  };
}

function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  return element?.closest("[data-scroller], .scroll-quiet") ?? null;
}
