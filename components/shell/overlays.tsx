"use client";

import { useEffect, useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { OVERLAYS, type Overlay, openOverlay } from "@/components/shell/open-overlay.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { isDialogOpen } from "@/components/ui/overlay/key-lock.tsx";

/** Each overlay is loaded on first use. */
const PARTS = {
  palette: lazyComponent(() => import("./palette/palette.tsx").then((file) => file.Palette)),
  shortcuts: lazyComponent(() => import("./keys/shortcut-sheet.tsx").then((file) => file.ShortcutSheet)),
  ask: lazyComponent(() => import("../request/ask/ask-dialog.tsx").then((file) => file.AskDialog)),
  moved: lazyComponent(() => import("./session/organization-switched-dialog.tsx").then((file) => file.Moved)),
} satisfies Record<Overlay, unknown>;

export function Overlays() {
  const [shown, setShown] = useState<Overlay | null>(null);
  const [used, setUsed] = useState<Overlay[]>([]);
  useShortcuts({ "?": () => openOverlay("shortcuts") });

  useEffect(() => {
    const stop = new AbortController();
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      // The palette would hide the decision in the open dialog.
      if (isDialogOpen()) return;
      openOverlay("palette");
    };
    window.addEventListener("keydown", onKey, stop);
    for (const overlay of OVERLAYS) {
      const show = () => {
        setUsed((before) => (before.includes(overlay) ? before : [...before, overlay]));
        setShown(overlay);
      };
      window.addEventListener(`intray:${overlay}`, show, stop);
    }
    return () => stop.abort();
  }, []);

  return used.map((overlay) => {
    const Shown = PARTS[overlay];
    return (
      <Shown
        key={overlay}
        open={shown === overlay}
        onOpenChange={(open) => setShown((before) => (open ? overlay : before === overlay ? null : before))}
      />
    );
  });
}
