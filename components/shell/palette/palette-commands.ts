"use client";

import { type RefObject, useEffect, useRef } from "react";

/** One thing that the palette offers. */
export interface PaletteCommand {
  /** Unique on the page, and the same at every visit: recent commands are found again by it. */
  id: string;
  /** A verb first: "Decline this request…". */
  label: string;
  /** The heading that it stands under. */
  group: string;
  /** The single key that does the same, as it stands on a keyboard: `A`, `G then I`. */
  keys?: string;
  run(): void;
  /** Why it cannot be done just now; shown, and it is not run. */
  disabled?: string;
}

// Outside React: the palette looks when it is open, and nothing is drawn anew because a page offers something.
const offered = new Set<RefObject<PaletteCommand[]>>();

/** Offers commands in the palette for as long as the component is on screen. */
export function usePaletteCommands(commands: PaletteCommand[]) {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    offered.add(latest);
    return () => void offered.delete(latest);
  }, []);
}

/** What the page offers now, in the order in which its parts appeared. */
export function paletteCommands(): PaletteCommand[] {
  return [...offered].flatMap((each) => each.current);
}
