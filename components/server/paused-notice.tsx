"use client";

import type { ReactNode } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { Pause } from "@/lib/servers/server-schema.ts";

/** Says who paused a server, why, and the consequence for this page. */
export function PausedNotice({
  server,
  children,
  action,
}: {
  server: { name: string; pause: Pause | null };
  children: ReactNode;
  action?: ReactNode;
}) {
  const { pause } = server;
  if (!pause) return null;
  return (
    <Notice
      tone="wait"
      title={
        <>
          {server.name} is paused, by {actorWords(pause.by)}, <TimeAgo at={pause.at} />
          {pause.reason && (
            <>
              : “<PlainText text={pause.reason} />”
            </>
          )}
        </>
      }
      action={action}
    >
      {children}
    </Notice>
  );
}
