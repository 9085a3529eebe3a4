"use client";

import { type RefObject, useEffect, useLayoutEffect, useReducer, useRef, useState } from "react";
import { insist, onFirstTouch } from "@/components/ui/load-late.ts";
import type { Virtualizer, VirtualizerOptions } from "./row-virtualizer.ts";
import type { StableRow } from "./use-stable-rows.ts";

/** A row with a message of one line; each is measured once it is there. */
const ROW_PX = 87;
/** One with a message of two lines. */
const TALL_ROW_PX = 107;
/** As many as the tallest of screens shows. */
const FIRST_DRAWN = 30;

type RowVirtualizer = Virtualizer<HTMLDivElement, HTMLLIElement>;

export interface RowWindow {
  /** What is drawn, each at its height in the list; null: in the flow, one below the other. */
  items: { row: StableRow; index: number; start: number | null }[];
  /** The height of the list, or in the flow what is below the drawn rows. */
  size: number;
  measure: ((row: HTMLLIElement | null) => void) | undefined;
  inView: StableRow[];
  /** Scrolls a row into view, if it is not: to the nearest end, or to the middle. False: it is not drawn yet. */
  reveal: (index: number, align?: "auto" | "center") => boolean;
  /** The id of the row with the focus: it stays drawn, and so does the one that is read. */
  focused: RefObject<string | null>;
}

let loaded: typeof import("./row-virtualizer.ts") | null = null;
const load = async () => {
  loaded ??= await import("./row-virtualizer.ts");
  return loaded;
};

/**
 * Draws only the rows near the view. The first ones are drawn as they come, also by the server; what measures and
 * moves rows takes over, on the same elements, once the page is used or the list is longer.
 */
export function useRowWindow(
  rows: StableRow[],
  scroller: RefObject<HTMLDivElement | null>,
  shown: string | null,
): RowWindow {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [virtual, setVirtual] = useState<RowVirtualizer | null>(null);
  const focused = useRef<string | null>(null);
  const latest = useRef(rows);
  latest.current = rows;

  /** It begins with what is on the screen, so that nothing moves. */
  const begin = useRef<Partial<VirtualizerOptions<HTMLDivElement, HTMLLIElement>>>({});
  const options = (kit: NonNullable<typeof loaded>) => ({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index: number) => latest.current[index]?.request.id ?? index,
    estimateSize: () => ROW_PX,
    overscan: 8,
    observeElementRect: kit.observeElementRect,
    observeElementOffset: kit.observeElementOffset,
    scrollToFn: kit.elementScroll,
    ...begin.current,
    onChange: redraw,
    rangeExtractor: (range: Parameters<typeof kit.defaultRangeExtractor>[0]) => {
      const kept = [focused.current, shown]
        .map((id) => (id === null ? -1 : rows.findIndex((row) => row.request.id === id)))
        .filter((index) => index !== -1);
      return [...new Set([...kit.defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b);
    },
  });
  if (virtual && loaded) virtual.setOptions(options(loaded));

  const take = useRef(() => {});
  take.current = () => {
    const list = scroller.current;
    if (!loaded || !list || virtual) return;
    begin.current = {
      initialOffset: list.scrollTop,
      initialRect: { width: list.offsetWidth, height: list.offsetHeight },
      initialMeasurementsCache: measureDrawn(list, latest.current),
    };
    setVirtual(new loaded.Virtualizer(options(loaded)));
  };
  const wanted =
    rows.length > FIRST_DRAWN * 2 || rows.findIndex((row) => row.request.id === shown) >= FIRST_DRAWN;
  useEffect(() => {
    const bring = () => void insist(load).then(() => take.current());
    if (wanted || loaded) bring();
    else return onFirstTouch(bring);
  }, [wanted]);
  useLayoutEffect(() => virtual?._didMount(), [virtual]);
  useLayoutEffect(() => virtual?._willUpdate());

  if (!virtual) {
    const drawn = rows.slice(0, FIRST_DRAWN);
    return {
      items: drawn.map((row, index) => ({ row, index, start: null })),
      size: (rows.length - drawn.length) * ROW_PX,
      measure: undefined,
      inView: rows.slice(0, Math.floor((scroller.current?.clientHeight ?? 0) / TALL_ROW_PX)),
      reveal: (index, align = "auto") => scrollTo(scroller.current, index, align),
      focused,
    };
  }
  const { range } = virtual;
  return {
    items: virtual.getVirtualItems().flatMap(({ index, start }) => {
      const row = rows[index];
      return row ? [{ row, index, start }] : [];
    }),
    size: virtual.getTotalSize(),
    measure: virtual.measureElement,
    inView: rows.slice(range?.startIndex, (range?.endIndex ?? -1) + 1),
    reveal: (index, align = "auto") => {
      virtual.scrollToIndex(index, { align });
      return true;
    },
    focused,
  };
}

function scrollTo(list: HTMLElement | null, index: number, align: "auto" | "center"): boolean {
  const row = list?.querySelector<HTMLElement>(`li[data-index="${index}"]`);
  if (!list || !row) return false;
  const [first, last] = [row.offsetTop, row.offsetTop + row.offsetHeight - list.clientHeight];
  if (align === "center") list.scrollTop = (first + last) / 2;
  else if (list.scrollTop > first) list.scrollTop = first;
  else if (list.scrollTop < last) list.scrollTop = last;
  return true;
}

function measureDrawn(list: HTMLElement, rows: StableRow[]) {
  return [...list.querySelectorAll<HTMLLIElement>("li[data-index]")].map((element, index) => ({
    key: rows[index]?.request.id ?? index,
    index,
    start: element.offsetTop,
    size: element.offsetHeight,
    end: element.offsetTop + element.offsetHeight,
    lane: 0,
  }));
}
