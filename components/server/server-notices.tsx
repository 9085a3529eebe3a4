"use client";

import { type ReactNode, useEffect, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { ConnectionState } from "@/lib/servers/connections/connection-schema.ts";
import { connectionTrouble, whoseConnection } from "@/lib/servers/connections/connection-words.ts";
import { refusalWords } from "@/lib/servers/connections/oauth-words.ts";
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

export interface ArrivalQuery {
  connected?: string | string[];
  refused?: string | string[];
}

/** Shows the result of a sign-in at the server's page once: the result is removed from the URL at once. */
export function ArrivalNotice({ arrival }: { arrival: ArrivalQuery }) {
  const [shown] = useState(arrival);
  useEffect(() => {
    if (shown.connected === undefined && shown.refused === undefined) return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, [shown]);
  if (shown.refused !== undefined) {
    const { title, advice } = refusalWords(shown.refused);
    return (
      <Notice live tone="bad" title={`${title}.`}>
        <p>{advice}</p>
      </Notice>
    );
  }
  if (shown.connected === undefined) return null;
  return <Notice live tone="good" title="Connected. Tasks that waited for it continue." />;
}
