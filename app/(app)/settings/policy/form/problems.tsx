"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";

export interface Problem {
  /** The place, as `rules.0.name`. */
  field: string;
  message: string;
}

const Problems = createContext<Problem[]>([]);

/** What is wrong with the policy as it is filled in, for its fields. */
export function ProblemsOf({ problems, children }: { problems: Problem[]; children: ReactNode }) {
  return <Problems value={problems}>{children}</Problems>;
}

/** The first problem at a place. */
export function useProblem(place: string): string | undefined {
  return useContext(Problems).find(({ field }) => field === place)?.message;
}

/** The first problem at a place or within it; `besides`: places that show theirs themselves. */
export function useProblemWithin(place: string, besides: string[] = []): string | undefined {
  const isAt = (field: string, at: string) => field === at || field.startsWith(`${at}.`);
  return useContext(Problems).find(
    ({ field }) => isAt(field, place) && !besides.some((other) => isAt(field, other)),
  )?.message;
}

/** Notes a place in which something is typed that says no value, and returns how to take that back. */
type Note = (problem: Problem) => () => void;
const Unreadable = createContext<Note>(() => () => undefined);

/** Shown fields in which something is typed that says no value: what is edited has the value before it. */
export function useUnreadable(): { unread: Problem[]; note: Note } {
  const [unread, setUnread] = useState<Problem[]>([]);
  const note = useCallback((problem: Problem) => {
    setUnread((before) => [...before, problem]);
    return () => setUnread((before) => before.toSpliced(before.indexOf(problem), 1));
  }, []);
  return { unread, note };
}

export function UnreadableOf({ note, children }: { note: Note; children: ReactNode }) {
  return <Unreadable value={note}>{children}</Unreadable>;
}

/** `message`: why it says no value; null: it does. */
export function useNoteUnreadable(field: string, message: string | null): void {
  const note = useContext(Unreadable);
  useEffect(() => (message === null ? undefined : note({ field, message })), [note, field, message]);
}

export const UNREADABLE = "What is typed there can’t be read";
