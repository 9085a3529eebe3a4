"use client";

import { useId } from "react";
import { Notice } from "@/components/ui/notice.tsx";
import { ApiError } from "@/lib/api-client/base/client.ts";
import type { ConnectionKind } from "@/lib/tasks/schema.ts";

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
  const id = useId();
  return (
    <Notice live tone="wait" title="It would run on another connection.">
      <p>{change.sentence}</p>
      <label htmlFor={id} className="flex items-center gap-2 pt-1 font-medium max-md:min-h-11">
        <input
          id={id}
          type="checkbox"
          checked={agreed}
          onChange={(event) => onAgree(event.target.checked)}
          className="size-4 shrink-0 accent-(--accent)"
        />
        {change.connection === "own"
          ? "Start it on my own connection, in private"
          : "Start it on the shared connection, where everyone sees it"}
      </label>
    </Notice>
  );
}
