"use client";

import { ConnectionTrouble } from "@/components/server/connection-trouble.tsx";
import { PausedNotice } from "@/components/server/paused-notice.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** Why an answer does not go out now. */
export function RequestTrouble({ request }: { request: InputRequestDetail }) {
  const { server, connectionOwner, connectionState } = request;
  return (
    <>
      <PausedNotice server={server}>
        <p>
          {request.answer ? "The answer is kept, and" : "It can be answered. The answer is kept, and"} goes
          out when the pause ends. The task’s own time limit runs on.
        </p>
      </PausedNotice>
      <ConnectionTrouble server={server} owner={connectionOwner} state={connectionState} />
    </>
  );
}
