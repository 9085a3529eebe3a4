"use client";

import { useLayoutEffect } from "react";

/** Kinds of overlays. A menu takes the page's single keys; a dialog also blocks Ctrl+K. */
type Overlay = "dialog" | "menu";

const open: Overlay[] = [];

/** Disables the page's single keys. Returns a function that enables them again. */
export function lockKeys(by: Overlay): () => void {
  open.push(by);
  let locked = true;
  return () => {
    if (locked) open.splice(open.indexOf(by), 1);
    locked = false;
  };
}

/** Whether a dialog or a menu is open, or a dialog is loading. */
export function areKeysLocked(): boolean {
  return open.length > 0;
}

/** Whether a dialog is open or loading. */
export function isDialogOpen(): boolean {
  return open.includes("dialog");
}

/** Locks the keys while mounted. Place it inside every overlay. */
export function KeyLock({ by = "dialog" }: { by?: Overlay }) {
  useLayoutEffect(() => lockKeys(by), [by]);
  return null;
}
