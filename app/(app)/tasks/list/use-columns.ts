"use client";

import { useEffect, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { readColumns, sameColumns } from "./row-facts.ts";
import { TASK_COLUMNS } from "./task-columns.tsx";

const KNOWN = TASK_COLUMNS.map((column) => column.id);
const USUAL = TASK_COLUMNS.filter((column) => !column.extra).map((column) => column.id);

/** The user's choice of columns, kept in this browser. */
export function useColumns() {
  const me = useMe();
  const key = `intray.task-columns.${me.user.id}`;
  const [chosen, setChosen] = useState(USUAL);
  useEffect(() => setChosen(readChosen(key)), [key]);
  const set = (ids: string[]) => {
    setChosen(ids);
    try {
      window.localStorage.setItem(key, ids.join(","));
    } catch {
      // Storage is blocked: the choice lasts until the page is left.
    }
  };
  return {
    columns: TASK_COLUMNS.filter((column) => chosen.includes(column.id)),
    isShown: (id: string) => chosen.includes(id),
    toggle: (id: string) => set(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]),
    isUsual: sameColumns(chosen, USUAL),
    reset: () => set(USUAL),
  };
}

export type Columns = ReturnType<typeof useColumns>;

function readChosen(key: string): string[] {
  try {
    return readColumns(window.localStorage.getItem(key), KNOWN, USUAL);
  } catch {
    return USUAL;
  }
}
