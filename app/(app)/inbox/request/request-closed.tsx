"use client";

import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { newestHeld } from "../answer/undoable-decisions.ts";
import { useUndo } from "../answer/use-undo.ts";
import { AnswerGiven } from "./answer-given.tsx";
import { RequestEnded } from "./request-ended.tsx";

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
