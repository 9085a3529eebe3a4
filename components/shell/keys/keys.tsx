"use client";

import { useSyncExternalStore } from "react";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";

/**
 * A shortcut as key caps: `G then I` as two with a word between, `Ctrl K` as two side by side, ⌘ on Apple
 * systems.
 */
export function Keys({ keys, always = false }: { keys: string; always?: boolean }) {
  const command = useCommandKey();
  const said = keys.replace("Ctrl", command);
  return (
    <span className="inline-flex shrink-0 items-center gap-1 align-middle">
      <span className="sr-only">{said}</span>
      {said.split(" ").map((key) =>
        key === "then" ? (
          <span key={key} aria-hidden className={cn("text-[11px] text-muted", !always && "max-md:hidden")}>
            then
          </span>
        ) : (
          <Kbd key={key} always={always}>
            {key}
          </Kbd>
        ),
      )}
    </span>
  );
}

const never = () => () => {};

/** Returns the name of the command key on this keyboard. */
export function useCommandKey(): "Ctrl" | "⌘" {
  return useSyncExternalStore(
    never,
    () => (/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"),
    () => "Ctrl",
  );
}
