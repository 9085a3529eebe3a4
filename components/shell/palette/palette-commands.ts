"use client";

import { type RefObject, useEffect, useRef } from "react";

/** A command offered in the palette. */
export interface PaletteCommand {
  /** Unique on the page and stable between visits: the list of recent commands stores the id. */
  id: string;
  /** Begins with a verb: "Decline this request…". */
  label: string;
  /** The heading above the command. */
  group: string;
  /** The shortcut of the same action, as on a keyboard: `A`, `G then I`. */
  keys?: string;
  run(): void;
  /** Why the command cannot run now; shown instead of running the command. */
  disabled?: string;
}

// Kept outside React: the palette reads the commands when open, and offering one renders nothing again.
const offered = new Set<RefObject<PaletteCommand[]>>();

/** Offers commands in the palette while the component is mounted. */
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

/** Returns the page's current commands, in the order in which their components mounted. */
export function paletteCommands(): PaletteCommand[] {
  return [...offered].flatMap((each) => each.current);
}
