"use client";

import { useLayoutEffect } from "react";

/** What lies over the page. A menu takes its single keys; a dialog also hides what Ctrl+K would open. */
type Overlay = "dialog" | "menu";

const open: Overlay[] = [];

/** Single keys of the page rest from now on. Returns how they are let go. */
export function lockKeys(by: Overlay): () => void {
  open.push(by);
  let locked = true;
  return () => {
    if (locked) open.splice(open.indexOf(by), 1);
    locked = false;
  };
}

/** Whether a dialog or a menu is open, or a dialog is on its way. */
export function areKeysLocked(): boolean {
  return open.length > 0;
}

/** Whether a dialog is open or on its way. */
export function isDialogOpen(): boolean {
  return open.includes("dialog");
}

/** Locks the keys for as long as it is drawn: stands inside whatever lies over the page. */
export function KeyLock({ by = "dialog" }: { by?: Overlay }) {
  useLayoutEffect(() => lockKeys(by), [by]);
  return null;
}
