"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { ConnectionState } from "@/lib/servers/connections/connection-schema.ts";
import { connectionTrouble, whoseConnection } from "@/lib/servers/connections/connection-words.ts";

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
