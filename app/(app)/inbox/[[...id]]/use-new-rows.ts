"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import type { StableRow } from "./use-stable-rows.ts";

/**
 * Counts the rows that came in below what is in view since the list was opened, for a pill that leads to them.
 * Rows loaded by scrolling are not news.
 */
export function useNewRows(rows: StableRow[], scroller: RefObject<HTMLDivElement | null>, paging: boolean) {
  const known = useRef<Set<string> | null>(null);
  const wasPaging = useRef(false);
  const [unseen, setUnseen] = useState<string[]>([]);

  useEffect(() => {
    const ids = rows.map((row) => row.request.id);
    if (known.current === null || paging || wasPaging.current) {
      wasPaging.current = paging;
      if (ids.length > 0 || known.current) known.current = new Set([...(known.current ?? []), ...ids]);
      return;
    }
    const added = ids.filter((id) => !known.current?.has(id));
    if (added.length === 0) return;
    for (const id of added) known.current.add(id);
    const element = scroller.current;
    if (element && element.scrollHeight > element.clientHeight) setUnseen((before) => [...before, ...added]);
  }, [rows, paging, scroller]);

  const count = unseen.filter((id) => rows.some((row) => row.request.id === id)).length;
  return {
    count,
    show: () => {
      document.getElementById(`row-${unseen[0]}`)?.scrollIntoView({ block: "center" });
      setUnseen([]);
    },
  };
}
