"use client";

import type { ReactNode } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { ConnectionState } from "@/lib/servers/connections/connection-schema.ts";
import { connectionTrouble, whoseConnection } from "@/lib/servers/connections/connection-words.ts";
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

/** The connection problem that holds up tasks, and the way to fix it for those who can. */
export function ConnectionTrouble({
  server,
  owner,
  state,
}: {
  server: { id: string; name: string };
  owner: { id: string; name: string } | null;
  state: ConnectionState;
}) {
  const me = useMe();
  const trouble = connectionTrouble(state, whoseConnection(owner, me.user.id), server.name);
  if (!trouble) return null;
  const canMend = owner ? owner.id === me.user.id : me.may("connections:share");
  return (
    <Notice
      tone={state === "needs_scope" ? "wait" : "bad"}
      title={trouble.title}
      action={
        canMend && (
          <Button asChild size="sm">
            <Link href={`/servers/${server.id}`}>Go to {server.name}</Link>
          </Button>
        )
      }
    >
      <p>{trouble.advice}</p>
      {!canMend && <p>{owner ? `${owner.name} has to do it.` : "An admin has to do it."}</p>}
    </Notice>
  );
}
