"use client";

import { useCallback, useEffect, useState } from "react";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";
import { part } from "@/components/ui/part.tsx";

/** What lies over the page on demand. Each is loaded when it is first wanted. */
const Palette = part(() => import("./palette.tsx").then((file) => file.Palette));
const ShortcutSheet = part(() => import("./shortcut-sheet.tsx").then((file) => file.ShortcutSheet));

type Overlay = "palette" | "shortcuts";

/** Opens one from anywhere. */
export function openOverlay(overlay: Overlay) {
  window.dispatchEvent(new Event(`intray:${overlay}`));
}

export function Overlays() {
  const [shown, setShown] = useState<Overlay | null>(null);
  const [used, setUsed] = useState<Record<Overlay, boolean>>({ palette: false, shortcuts: false });
  const show = useCallback((overlay: Overlay) => {
    setUsed((before) => ({ ...before, [overlay]: true }));
    setShown(overlay);
  }, []);
  useShortcuts({ "?": () => show("shortcuts") });

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      // Over another dialog it would hide what is being decided.
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      show("palette");
    };
    const onPalette = () => show("palette");
    const onShortcuts = () => show("shortcuts");
    window.addEventListener("keydown", onKey);
    window.addEventListener("intray:palette", onPalette);
    window.addEventListener("intray:shortcuts", onShortcuts);
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("intray:palette", onPalette);
      window.removeEventListener("intray:shortcuts", onShortcuts);
    };
  }, [show]);

  const onOpenChange = (overlay: Overlay) => (open: boolean) =>
    setShown((before) => (open ? overlay : before === overlay ? null : before));
  return (
    <>
      {used.palette && <Palette open={shown === "palette"} onOpenChange={onOpenChange("palette")} />}
      {used.shortcuts && (
        <ShortcutSheet open={shown === "shortcuts"} onOpenChange={onOpenChange("shortcuts")} />
      )}
    </>
  );
}
