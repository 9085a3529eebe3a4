"use client";

import { createContext, type ReactNode, useContext } from "react";

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
