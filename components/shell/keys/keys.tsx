"use client";

import { useSyncExternalStore } from "react";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";

/** A shortcut as caps: `G then I` as two with a word between, `Ctrl K` as two side by side, ⌘ where that is the key. */
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

/** What this keyboard calls the key of commands. */
export function useCommandKey(): "Ctrl" | "⌘" {
  return useSyncExternalStore(
    never,
    () => (/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"),
    () => "Ctrl",
  );
}
