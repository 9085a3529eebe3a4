"use client";

import { Agreement } from "@/components/form/agreement.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { ConnectionKind } from "@/lib/tasks/task-schema.ts";
import { ApiError } from "@/lib/web/client/base/client.ts";

/** What Intray says of a restart that would run on another connection than the task did. */
export interface ConnectionChange {
  /** The connection that the new task would run on, to send back once the person agrees. */
  connection: ConnectionKind;
  sentence: string;
}

/** Returns the change because of which a restart was refused, or null if it failed for another reason. */
export function connectionChangeOf(error: unknown): ConnectionChange | null {
  if (!(error instanceof ApiError) || error.code !== "connection_changed") return null;
  return { connection: error.extra.connection === "own" ? "own" : "shared", sentence: error.sentence };
}

/** Asks whether a task may be started again on another connection, in front of other people or fewer. */
export function ConnectionChanged({
  change,
  agreed,
  onAgree,
}: {
  change: ConnectionChange;
  agreed: boolean;
  onAgree: (agreed: boolean) => void;
}) {
  return (
    <Notice live tone="wait" title="It would run on another connection.">
      <p>{change.sentence}</p>
      <Agreement agreed={agreed} onAgree={onAgree}>
        {change.connection === "own"
          ? "Start it on my own connection, in private"
          : "Start it on the shared connection, where everyone sees it"}
      </Agreement>
    </Notice>
  );
}
