"use client";

import { useEffect, useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { OVERLAYS, type Overlay, openOverlay } from "@/components/shell/open-overlay.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { isDialogOpen, KeyLock } from "@/components/ui/overlay/key-lock.tsx";

/** What is typed while an overlay loads is meant for it, and not for the page. */
const whileLoading = { loading: ({ open }: { open: boolean }) => open && <KeyLock /> };

/** Each overlay is loaded on first use. */
const PARTS = {
  palette: lazyComponent(() => import("./palette/palette.tsx").then((file) => file.Palette), whileLoading),
  shortcuts: lazyComponent(
    () => import("./keys/shortcut-sheet.tsx").then((file) => file.ShortcutSheet),
    whileLoading,
  ),
  ask: lazyComponent(
    () => import("../request/ask/ask-dialog.tsx").then((file) => file.AskDialog),
    whileLoading,
  ),
  moved: lazyComponent(
    () => import("./session/organization-switched-dialog.tsx").then((file) => file.Moved),
    whileLoading,
  ),
} satisfies Record<Overlay, unknown>;

export function Overlays() {
  const [shown, setShown] = useState<Overlay | null>(null);
  const [used, setUsed] = useState<Overlay[]>([]);
  useShortcuts({ "?": () => openOverlay("shortcuts") });

  useEffect(() => {
    const stop = new AbortController();
    const show = (overlay: Overlay) => {
      setUsed((before) => (before.includes(overlay) ? before : [...before, overlay]));
      setShown(overlay);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      // The palette would hide the decision in the open dialog.
      if (isDialogOpen()) return;
      // Called, since React renders what a key changes before the next key, and not what an event of ours does.
      show("palette");
    };
    window.addEventListener("keydown", onKey, stop);
    for (const overlay of OVERLAYS) window.addEventListener(`intray:${overlay}`, () => show(overlay), stop);
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
