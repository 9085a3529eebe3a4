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
        <Button
          variant="link"
          className="h-auto px-0 text-xs max-md:-my-3 max-md:h-auto max-md:py-3.5"
          onClick={draft.discard}
        >
          Discard
        </Button>
      </p>
    );
  }
  const failed = status.kind === "failed";
  return (
    <p className={failed ? "text-bad text-xs" : "text-muted text-xs"}>
      <span role={failed ? "alert" : undefined}>{WORDS[status.kind]}</span>
      {/* Said once, not after every pause; it stays the same from then on. */}
      <span role="status" className="sr-only">
        {draft.everSaved && "What you type is kept as a draft"}
      </span>
    </p>
  );
}

const WORDS = {
  none: "",
  saving: "Saving draft…",
  saved: "Draft saved",
  failed: "Draft not saved; it is still here. Trying again…",
};
