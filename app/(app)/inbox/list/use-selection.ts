"use client";

import { useState } from "react";
import { rangeOf } from "@/lib/format/requests/selection.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import type { StableRow } from "./use-stable-rows.ts";

/** The requests that are selected to be dealt with together. Those that left the list leave the selection. */
export function useSelection(list: string, rows: StableRow[]) {
  const [state, setState] = useState<{ list: string; ids: string[]; last: string | null }>({
    list,
    ids: [],
    last: null,
  });
  // What was selected in another list is out of sight: it must not be answered along.
  if (state.list !== list) setState({ list, ids: [], last: null });
  const open = rows.filter((row) => !row.gone && row.request.state === "open").map((row) => row.request);
  const chosen = new Set(state.ids);
  const selected: InputRequestSummary[] = open.filter((request) => chosen.has(request.id));
  return {
    selected,
    has: (id: string) => chosen.has(id),
    toggle: (id: string) => {
      const on = !chosen.has(id);
      setState({ list, ids: on ? [...state.ids, id] : state.ids.filter((each) => each !== id), last: id });
    },
    /** All from the last one that was selected to this one. */
    extend: (id: string) => {
      const ids = open.map((request) => request.id);
      setState({ list, ids: [...new Set([...state.ids, ...rangeOf(ids, state.last, id)])], last: id });
    },
    select: (ids: string[]) => setState({ list, ids, last: ids.at(-1) ?? null }),
    clear: () => setState({ list, ids: [], last: null }),
  };
}

export type Selection = ReturnType<typeof useSelection>;
