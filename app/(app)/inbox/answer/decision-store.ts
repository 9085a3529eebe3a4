"use client";

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { timing } from "@/components/timings.ts";
import type { DraftInput } from "@/lib/requests/request-input-schema.ts";
import type { Decided, Refused } from "./decided.ts";

/**
 * Decisions made in this browser tab. Kept outside React: a decision outlives the pane it was made in, and a
 * visit to another page. The server's state of a decision is in the query cache, not here.
 */
interface Decisions {
  /** Decided requests, latest first. */
  decided: string[];
  /** Decisions on their way to the server, by request. */
  recording: Readonly<Record<string, Decided>>;
  /** The last decisions that the server did not record, by request. */
  refused: Readonly<Record<string, Refused>>;
  /** Recorded decisions that are still held and can be undone. Newest last. */
  undoable: { requestId: string; draft: DraftInput | null }[];
  /** The request whose successor should open, or that should come back. A new object for each time. */
  goOnFrom: { requestId: string; why: GoOn } | null;
  /** Null once something else than what came next is on the screen. */
  next: Next | null;
}

/**
 * Why the list goes on from a request: the request is over, was left for later, or its decision is being recorded. A
 * request whose decision was `refused` comes back.
 */
export type GoOn = "over" | "skip" | "recording" | "refused";

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
let decisions: Decisions = {
  decided: NONE,
  recording: {},
  refused: {},
  undoable: [],
  goOnFrom: null,
  next: null,
};
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

/** Notes that a decision is on its way to the server. Returns false if another one of this request already is. */
export function beginRecording(requestId: string, decided: Decided): boolean {
  if (decisions.recording[requestId]) return false;
  update({
    recording: { ...decisions.recording, [requestId]: decided },
    refused: without(decisions.refused, requestId),
  });
  return true;
}

/** `refused`: why the server did not record the decision; null if it did. */
export function endRecording(requestId: string, refused: Refused | null) {
  update({
    recording: without(decisions.recording, requestId),
    ...(refused && { refused: { ...decisions.refused, [requestId]: refused } }),
  });
}

export function forgetRefused(requestId: string) {
  if (decisions.refused[requestId]) update({ refused: without(decisions.refused, requestId) });
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = record;
  return rest;
}

const NO_RECORD: Readonly<Record<string, never>> = {};

export function useRecording(): Readonly<Record<string, Decided>> {
  return useSyncExternalStore(
    subscribe,
    () => decisions.recording,
    () => NO_RECORD,
  );
}

export function useRefused(): Readonly<Record<string, Refused>> {
  return useSyncExternalStore(
    subscribe,
    () => decisions.refused,
    () => NO_RECORD,
  );
}

export function isRefused(requestId: string): boolean {
  return decisions.refused[requestId] !== undefined;
}

/** Whether another request is about to be shown after this one: it may still be on the screen. */
export function isLeft(requestId: string): boolean {
  const { next } = decisions;
  return next !== null && next.after === requestId && next.id !== requestId;
}

/** Asks the list to open the request after this one; of a refused decision, this one. */
export function goOnFrom(requestId: string, why: GoOn = "over") {
  update({ goOnFrom: { requestId, why } });
}

/** Calls back at each `goOnFrom()`. */
export function useGoOn(goOn: (requestId: string, why: GoOn) => void) {
  const latest = useRef(goOn);
  useEffect(() => {
    latest.current = goOn;
  });
  useEffect(() => {
    let seen = decisions.goOnFrom;
    return subscribe(() => {
      if (decisions.goOnFrom === seen) return;
      seen = decisions.goOnFrom;
      if (seen) latest.current(seen.requestId, seen.why);
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
