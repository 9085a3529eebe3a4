"use client";

import { useMe } from "@/components/shell/me.tsx";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { AnswerGiven } from "./answer-given.tsx";
import { newestHeld } from "./held.ts";
import { RequestEnded } from "./request-ended.tsx";
import { useUndo } from "./use-undo.ts";

/** What became of a request that is no longer open. */
export function RequestClosed({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const undo = useUndo();
  useShortcuts({
    z: () => {
      // What this browser decided itself is taken back by its toast, the newest first.
      if (newestHeld() === null && request.delivery?.state === "held" && me.may("requests:answer"))
        void undo(request.id);
    },
  });
  return (
    <>
      <RequestEnded request={request} />
      {request.answer && <AnswerGiven request={request} />}
    </>
  );
}
