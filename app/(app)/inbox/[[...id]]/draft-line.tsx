"use client";

import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { DraftState } from "./use-draft.ts";

/** What became of the draft, in a few quiet words; a draft of earlier can be thrown away. */
export function DraftLine({ draft }: { draft: DraftState }) {
  const { status } = draft;
  if (status.kind === "restored") {
    return (
      <p className="text-muted text-xs">
        Your draft of <TimeAgo at={status.at} />
        {" · "}
        <Button variant="link" className="text-xs" onClick={draft.discard}>
          Discard
        </Button>
      </p>
    );
  }
  return (
    // The same words twice are announced once, however often it is saved.
    <p role="status" className={status.kind === "failed" ? "text-bad text-xs" : "text-muted text-xs"}>
      {status.kind === "failed"
        ? "Draft not saved; it is still here. Trying again…"
        : status.kind !== "none" && "Draft saved"}
    </p>
  );
}
