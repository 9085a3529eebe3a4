"use client";

import { useEffect, useRef, useState } from "react";

/** What was decided since the app was opened, latest first; it outlives a visit to another page. */
let decided: string[] = [];

export function rememberDecided(ids: string[]) {
  decided = [...new Set([...ids, ...decided])];
}

/** Hears of decisions that the server has recorded. `onNext`: the person wants the next request. */
export function useDecided(onNext: (decidedId: string) => void): string[] {
  const [ids, setIds] = useState(decided);
  const latest = useRef(onNext);
  useEffect(() => {
    latest.current = onNext;
  });
  useEffect(() => {
    const hear = (event: Event) => {
      const { id, next } = (event as CustomEvent<{ id: string; next: boolean }>).detail;
      rememberDecided([id]);
      setIds(decided);
      if (next) latest.current(id);
    };
    window.addEventListener("intray:decided", hear);
    return () => window.removeEventListener("intray:decided", hear);
  }, []);
  return ids;
}
