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
  undoable: { inputRequestId: string; draft: DraftInput | null }[];
  /** The request whose successor should open, or that should come back. A new object for each time. */
  goOnFrom: { inputRequestId: string; why: GoOn } | null;
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
export function addDecided(inputRequestIds: string[]) {
  update({ decided: [...new Set([...inputRequestIds, ...decisions.decided])] });
}

export function useDecided(): string[] {
  return useSyncExternalStore(
    subscribe,
    () => decisions.decided,
    () => NONE,
  );
}

/** Notes that a decision is on its way to the server. Returns false if another one of this request already is. */
export function beginRecording(inputRequestId: string, decided: Decided): boolean {
  if (decisions.recording[inputRequestId]) return false;
  update({
    recording: { ...decisions.recording, [inputRequestId]: decided },
    refused: without(decisions.refused, inputRequestId),
  });
  return true;
}

/** `refused`: why the server did not record the decision; null if it did. */
export function endRecording(inputRequestId: string, refused: Refused | null) {
  update({
    recording: without(decisions.recording, inputRequestId),
    ...(refused && { refused: { ...decisions.refused, [inputRequestId]: refused } }),
  });
}

export function forgetRefused(inputRequestId: string) {
  if (decisions.refused[inputRequestId]) update({ refused: without(decisions.refused, inputRequestId) });
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

export function isRefused(inputRequestId: string): boolean {
  return decisions.refused[inputRequestId] !== undefined;
}

/** Whether another request is about to be shown after this one: it may still be on the screen. */
export function isLeft(inputRequestId: string): boolean {
  const { next } = decisions;
  return next !== null && next.after === inputRequestId && next.id !== inputRequestId;
}

/** Asks the list to open the request after this one; of a refused decision, this one. */
export function goOnFrom(inputRequestId: string, why: GoOn = "over") {
  update({ goOnFrom: { inputRequestId, why } });
}

/** Calls back at each `goOnFrom()`. */
export function useGoOn(goOn: (inputRequestId: string, why: GoOn) => void) {
  const latest = useRef(goOn);
  useEffect(() => {
    latest.current = goOn;
  });
  useEffect(() => {
    let seen = decisions.goOnFrom;
    return subscribe(() => {
      if (decisions.goOnFrom === seen) return;
      seen = decisions.goOnFrom;
      if (seen) latest.current(seen.inputRequestId, seen.why);
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
export function useArmed(inputRequestId: string, unfolded: boolean): boolean {
  const key = `${inputRequestId} ${unfolded}`;
  const isNew = unfolded || decisions.next?.id === inputRequestId;
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
export function addUndoable(inputRequestId: string, draft: DraftInput | null) {
  update({
    undoable: [
      ...decisions.undoable.filter((each) => each.inputRequestId !== inputRequestId),
      { inputRequestId, draft },
    ],
  });
}

/** Removes a decision that was undone or sent. Returns the form's values, or null. */
export function takeUndoable(inputRequestId: string): DraftInput | null {
  const found = decisions.undoable.find((each) => each.inputRequestId === inputRequestId);
  if (found) update({ undoable: decisions.undoable.filter((each) => each !== found) });
  return found?.draft ?? null;
}

/** Returns the request whose decision Z undoes, or null if no decision can be undone. */
export function newestUndoable(): string | null {
  return decisions.undoable.at(-1)?.inputRequestId ?? null;
}
