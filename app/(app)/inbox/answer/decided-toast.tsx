"use client";

import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { usePaletteCommands } from "@/components/shell/palette/palette-commands.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { newestHeld } from "./undoable-decisions.ts";
import { useUndo } from "./use-undo.ts";

/** What was decided, how long it can be taken back, and the button for it. Said once; the seconds are for the eye. */
export function HeldToast({
  requestId,
  what,
  server,
  holdMs,
  until,
}: {
  requestId: string;
  /** `Approved INV-100` */
  what: string;
  server: string;
  holdMs: number;
  /** ISO time. */
  until: string;
}) {
  const undo = useUndo();
  const { singleKeys } = useMe().preferences;
  usePaletteCommands([
    {
      id: "request:undo",
      label: `Undo: ${what}`,
      group: "This request",
      keys: "Z",
      run: () => void undo(requestId),
    },
  ]);
  useShortcuts({
    z: (event) => {
      if (newestHeld() !== requestId) return;
      // One press takes one back: not also the one before, which is the newest from now on.
      event.preventDefault();
      void undo(requestId);
    },
  });
  return (
    <div className="flex w-full items-center gap-3">
      <Ring holdMs={holdMs} />
      <p className="min-w-0 flex-1">
        <span className="sr-only">
          {what}. It is sent to {server} in {Math.round(holdMs / 1_000)} seconds
          {singleKeys && "; press Z to take it back"}.
        </span>
        <span aria-hidden>
          {what} ·{" "}
          <span className="whitespace-nowrap">
            sending in <TimeUntil at={until} over="a moment" />
          </span>
        </span>
      </p>
      <Button
        size="sm"
        aria-keyshortcuts="Z"
        className="border-bg/30 bg-transparent text-bg hover:bg-bg/15"
        onClick={() => void undo(requestId)}
      >
        Undo{singleKeys && <span className="max-md:hidden"> (Z)</span>}
      </Button>
    </div>
  );
}

/** Runs out with the hold. Stands still for those who ask for no motion: the seconds are in the text. */
function Ring({ holdMs }: { holdMs: number }) {
  return (
    <svg aria-hidden viewBox="0 0 20 20" className="-rotate-90 size-5 shrink-0 motion-reduce:hidden">
      <circle cx="10" cy="10" r="8" fill="none" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <circle
        cx="10"
        cy="10"
        r="8"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        pathLength="100"
        strokeDasharray="100"
        style={{ animation: `run-out ${holdMs}ms linear forwards` }}
      />
    </svg>
  );
}
