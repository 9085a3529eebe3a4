"use client";

import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";
import type { RowWindow } from "./use-row-window.ts";
import type { StableRow } from "./use-stable-rows.ts";

/**
 * A plain list of links. Its items say their place and the size of the whole, of which only a part is drawn. Not a
 * listbox: that would take the links from a screen reader. Not a feed: that has keys of its own, and J and K serve.
 */
export function VirtualRows({
  rows,
  view,
  total,
  children,
}: {
  rows: StableRow[];
  view: RowWindow;
  /** Null: not known. */
  total: number | null;
  children: (row: StableRow) => ReactNode;
}) {
  const { items, size, measure, focused } = view;
  return (
    <ul
      className="relative border-line border-t"
      style={measure ? { height: size } : { paddingBottom: size }}
    >
      {items.map(({ row, index, start }) => (
        <li
          key={row.request.id}
          ref={measure}
          data-index={index}
          aria-setsize={total === null ? -1 : Math.max(total, rows.length)}
          aria-posinset={index + 1}
          className={cn("border-line border-b", start !== null && "absolute inset-x-0 top-0")}
          style={start === null ? undefined : { transform: `translateY(${start}px)` }}
          onFocus={() => {
            focused.current = row.request.id;
          }}
          onBlur={() => {
            focused.current = null;
          }}
        >
          {children(row)}
        </li>
      ))}
    </ul>
  );
}
