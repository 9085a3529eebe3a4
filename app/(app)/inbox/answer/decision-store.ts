"use client";

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { timing } from "@/components/timings.ts";
import type { DraftInput } from "@/lib/requests/request-input-schema.ts";

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
  goOnFrom: { requestId: string; isSkip: boolean } | null;
  /** Null once something else than what came next is on the screen. */
  next: Next | null;
}

/** What came after a request was decided or skipped. */
export interface Next {
  after: string;
  /** The request on the screen then; null after the last one of a list. */
  id: string | null;
  /** For example `Next: INV-207 · ACME Corp · $1,000.00`. */
  words: string;
  /** Differs each time, so that equal words are announced again. */
  turn: number;
}

const NONE: string[] = [];
let decisions: Decisions = { decided: NONE, undoable: [], goOnFrom: null, next: null };
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

/** Asks the list to open the request after this one, which is over, or is left for later (`isSkip`). */
export function goOnFrom(requestId: string, { isSkip = false } = {}) {
  update({ goOnFrom: { requestId, isSkip } });
}

/** Calls back at each `goOnFrom()`. */
export function useGoOn(goOn: (requestId: string, isSkip: boolean) => void) {
  const latest = useRef(goOn);
  useEffect(() => {
    latest.current = goOn;
  });
  useEffect(() => {
    let seen = decisions.goOnFrom;
    return subscribe(() => {
      if (decisions.goOnFrom === seen) return;
      seen = decisions.goOnFrom;
      if (seen) latest.current(seen.requestId, seen.isSkip);
    });
  }, []);
}

export function tellNext(next: Omit<Next, "turn">) {
  update({ next: { ...next, turn: (decisions.next?.turn ?? 0) + 1 } });
}

/** Forgets what came next when another request than that is shown. */
export function forgetNext(shown: string | null) {
  if (decisions.next && decisions.next.id !== shown) update({ next: null });
}

/**
 * Returns whether a press may decide. It may not yet when the request has just opened by itself, or the last press has
 * unfolded it. The first render says so already: a second press may come with it.
 */
export function useArmed(requestId: string, unfolded: boolean): boolean {
  const key = `${requestId} ${unfolded}`;
  const isNew = unfolded || decisions.next?.id === requestId;
  const [armedFor, setArmedFor] = useState(isNew ? null : key);
  const armed = armedFor === key;
  useEffect(() => {
    if (armed) return;
    const arm = () => setArmedFor(key);
    if (!isNew) return arm();
    const timer = setTimeout(arm, timing("unread"));
    return () => clearTimeout(timer);
  }, [key, armed, isNew]);
  return armed;
}

export function useNext(): Next | null {
  return useSyncExternalStore(
    subscribe,
    () => decisions.next,
    () => null,
  );
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
