"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";
import type { DraftInput } from "@/lib/input-requests/schema.ts";

/**
 * Decisions made in this browser tab. Kept outside React: a decision outlives the pane it was made in, and a
 * visit to another page. The server's state of a decision is in the query cache, not here.
 */
interface Decisions {
  /** Decided requests, latest first. */
  decided: string[];
  /** Recorded decisions that are still held and can be undone. Newest last. */
  undoable: { requestId: string; draft: DraftInput | null }[];
  /** The request whose successor should open. A new object for each time. */
  goOnFrom: { requestId: string } | null;
}

const NONE: string[] = [];
let decisions: Decisions = { decided: NONE, undoable: [], goOnFrom: null };
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function update(change: Partial<Decisions>) {
  decisions = { ...decisions, ...change };
  for (const listener of listeners) listener();
}

/** Adds requests whose decision the server has recorded. */
export function addDecided(requestIds: string[]) {
  update({ decided: [...new Set([...requestIds, ...decisions.decided])] });
}

export function useDecided(): string[] {
  return useSyncExternalStore(
    subscribe,
    () => decisions.decided,
    () => NONE,
  );
}

/** Asks the list to open the request after this one. */
export function goOnFrom(requestId: string) {
  update({ goOnFrom: { requestId } });
}

/** Calls back at each `goOnFrom()`. */
export function useGoOn(goOn: (requestId: string) => void) {
  const latest = useRef(goOn);
  useEffect(() => {
    latest.current = goOn;
  });
  useEffect(() => {
    let seen = decisions.goOnFrom;
    return subscribe(() => {
      if (decisions.goOnFrom === seen) return;
      seen = decisions.goOnFrom;
      if (seen) latest.current(seen.requestId);
    });
  }, []);
}

/** `draft`: the form's values, which an undo restores; null where one press decided. */
export function addUndoable(requestId: string, draft: DraftInput | null) {
  update({
    undoable: [...decisions.undoable.filter((each) => each.requestId !== requestId), { requestId, draft }],
  });
}

/** Removes a decision that was undone or sent. Returns the form's values, or null. */
export function takeUndoable(requestId: string): DraftInput | null {
  const found = decisions.undoable.find((each) => each.requestId === requestId);
  if (found) update({ undoable: decisions.undoable.filter((each) => each !== found) });
  return found?.draft ?? null;
}

/** Returns the request whose decision Z undoes, or null if no decision can be undone. */
export function newestUndoable(): string | null {
  return decisions.undoable.at(-1)?.requestId ?? null;
}
