"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { ConnectionBadge } from "@/components/server/server-badges.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import type { ServerConnection } from "@/lib/servers/connections/connection-schema.ts";
import { connectWord, waitingTasks } from "@/lib/servers/connections/connection-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { serverConnections, serverKeys } from "@/lib/web/client/servers.ts";
import { LeaveDialog } from "./leave-dialog.tsx";

/** The connections that Intray calls the server with: one per member, or a shared one. */
export function ServerConnections({ server }: { server: Server }) {
  const connections = useQuery(serverConnections(server.id));
  return (
    <section aria-labelledby="connections-heading" className="flex flex-col gap-2.5">
      <h2 id="connections-heading" className="font-medium text-[13px] text-muted">
        Connections
      </h2>
      {connections.isPending && <div aria-hidden className="skeleton h-28" />}
      {connections.isError && (
        <LoadFailure
          what="The connections"
          error={connections.error}
          onRetry={() => void connections.refetch()}
        />
      )}
      {connections.data && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel">
          {connections.data.map((connection) => (
            <li key={String(connection.shared)}>
              <ConnectionLine server={server} connection={connection} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ConnectionLine({ server, connection }: { server: Server; connection: ServerConnection }) {
  const me = useMe();
  const [asking, setAsking] = useState<"connect" | "disconnect" | null>(null);
  const { state, shared } = connection;
  const mayChange = me.may(shared ? "connections:share" : "connections:own");
  const needsCare = state !== "connected";
  // Emphasises a broken connection, or the user's own if the server has none to start tasks on.
  const isNext = needsCare && (state !== "not_connected" || (!shared && server.startsOn === null));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5 px-4 py-3.5">
      <div className="flex min-w-60 flex-1 flex-col gap-1">
        <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-medium">{shared ? "Shared connection" : "Your own connection"}</span>
          <ConnectionBadge state={state} />
        </h3>
        <p className="text-[13px] text-muted">
          {state === "not_connected" ? offer(connection, mayChange) : <Facts connection={connection} />}
        </p>
        {state === "needs_scope" ? (
          <p className="text-[13px]">Tasks that need more permissions are waiting. Other tasks continue.</p>
        ) : (
          needsCare &&
          connection.openTasks > 0 && (
            <p className="text-[13px]">{waitingTasks(connection.openTasks)} for it.</p>
          )
        )}
      </div>
      {mayChange && (
        <div className="flex flex-wrap gap-2 max-md:w-full max-md:*:flex-1">
          <Button variant={isNext ? "primary" : "outline"} onClick={() => setAsking("connect")}>
            <span>
              {connectWord(state)}
              <span className="sr-only"> ({shared ? "shared" : "your own"})</span>
            </span>
          </Button>
          {state !== "not_connected" && (
            <Button variant="danger" onClick={() => setAsking("disconnect")}>
              <span>
                Disconnect…<span className="sr-only"> ({shared ? "shared" : "your own"})</span>
              </span>
            </Button>
          )}
        </div>
      )}
      {asking === "connect" && (
        <LeaveDialog server={server} connection={connection} onClose={() => setAsking(null)} />
      )}
      {asking === "disconnect" && (
        <DisconnectDialog server={server} connection={connection} onClose={() => setAsking(null)} />
      )}
    </div>
  );
}

function Facts({ connection }: { connection: ServerConnection }) {
  const { connectedBy, connectedAt, issuer, renews, expiresAt, scopes, neededScopes, state } = connection;
  const missing = neededScopes.filter((scope) => !scopes.includes(scope));
  return (
    <>
      {connectedBy && <>Signed in by {connectedBy.name} </>}
      {connectedAt && <TimeAgo at={connectedAt} />}
      {issuer && <> at {hostOf(issuer)}</>}
      {state !== "needs_reauth" && (
        <>
          {" · "}
          {renews ? (
            "renews itself"
          ) : expiresAt ? (
            <>
              ends in <TimeUntil at={expiresAt} over="a moment" />
            </>
          ) : (
            "does not end by itself"
          )}
        </>
      )}
      {scopes.length > 0 && <> · may use {scopes.join(", ")}</>}
      {missing.length > 0 && (
        <>
          {" · "}
          <span className="text-wait">needs {missing.join(", ")}</span>
        </>
      )}
    </>
  );
}

function offer({ shared }: ServerConnection, mayChange: boolean): string {
  if (shared)
    return mayChange
      ? "For API keys and for members without a connection of their own. All of it happens in your name."
      : "An admin can connect it for API keys and for members without a connection of their own.";
  return mayChange
    ? "For tasks that you start: they run in your name, and only you see them."
    : "Operators and admins can connect one of their own, for tasks that they start.";
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function DisconnectDialog({
  server,
  connection,
  onClose,
}: {
  server: Server;
  connection: ServerConnection;
  onClose: () => void;
}) {
  const { openTasks, shared } = connection;
  const name = shared ? "the shared connection" : "your connection";
  return (
    <ConfirmChange
      keys={[serverKeys.all]}
      call={() => api.delete(`/api/v1/connections/${connection.id}`)}
      done={`Disconnected from ${server.name}`}
      unchanged="It may still be connected."
      onClose={onClose}
      title={`Disconnect ${name}?`}
      description={`Intray deletes the sign-in and revokes it at the authorization server. ${fate(openTasks)}`}
      confirm="Disconnect"
      destructive
    />
  );
}

function fate(openTasks: number): string {
  if (openTasks === 0) return "No open task uses it.";
  const whose = openTasks === 1 ? "The open task on it is" : `The ${openTasks} open tasks on it are`;
  return `${whose} not cancelled. The server continues them, and Intray waits until somebody connects again.`;
}
