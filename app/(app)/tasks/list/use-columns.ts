"use client";

import { useEffect, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { TASK_COLUMNS } from "./task-columns.tsx";

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
    isUsual: [...chosen].sort().join() === [...USUAL].sort().join(),
    reset: () => set(USUAL),
  };
}

export type Columns = ReturnType<typeof useColumns>;

function readChosen(key: string): string[] {
  try {
    const kept = window.localStorage.getItem(key)?.split(",");
    return kept?.filter((id) => TASK_COLUMNS.some((column) => column.id === id)) ?? USUAL;
  } catch {
    return USUAL;
  }
}
