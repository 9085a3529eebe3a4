"use client";

import { Search } from "lucide-react";
import { useCommandKey } from "@/components/shell/keys/keys.tsx";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { Kbd } from "@/components/ui/kbd.tsx";

/** The button in the navigation that opens the palette. */
export function PaletteButton() {
  const command = useCommandKey();
  return (
    <button
      type="button"
      title="Search and commands"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => openOverlay("palette")}
      className="flex h-8 w-full items-center gap-2.5 rounded-lg px-2 text-muted transition-colors hover:bg-sunken hover:text-ink max-lg:h-10 max-lg:justify-center"
    >
      <Search aria-hidden className="size-[18px] shrink-0" strokeWidth={1.75} />
      <span className="max-lg:sr-only">Search</span>
      <Kbd className="ml-auto max-lg:hidden">{`${command} K`}</Kbd>
    </button>
  );
}
