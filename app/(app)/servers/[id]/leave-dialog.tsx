"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { Departure, ServerConnection } from "@/lib/servers/connections/connection-schema.ts";
import { refusalWords } from "@/lib/servers/connections/oauth-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";

/** Names the site and the purpose before the browser leaves for a sign-in. */
export function LeaveDialog({
  server,
  connection,
  onClose,
}: {
  server: Server;
  connection: ServerConnection;
  onClose: () => void;
}) {
  const me = useMe();
  const { shared } = connection;
  /** The hosts that an admin said yes to in this dialog. */
  const [allowed, setAllowed] = useState<string[] | null>(null);
  const departure = useQuery({
    queryKey: ["departure", server.id, shared, allowed],
    queryFn: () =>
      api.post<Departure>(`/api/v1/servers/${server.id}/connect`, {
        shared,
        ...(allowed && { allowHosts: allowed }),
      }),
    // Each request asks other servers and begins a sign-in, so no refetch, and no cached departure is reused.
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const way = departure.data && wayTo(departure.data);
  const asked = departure.isError ? hostsAskedFor(departure.error) : null;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Connect ${server.name}`}
      description={
        shared
          ? `Everyone in ${me.organization.name} who may start tasks will work through your sign-in: at ${server.name} it is you who acts.`
          : "Tasks that you start will run in your name, and only you and those you assign will see them."
      }
    >
      <div aria-live="polite" className="flex flex-col gap-3">
        {departure.isPending && <p className="text-muted">Asking {server.name} where people sign in…</p>}
        {asked && <SeveralHosts server={server.name} hosts={asked} mayAllow={me.may("servers:manage")} />}
        {departure.isError && !asked && <Refused error={departure.error} />}
        {departure.data && way && (
          <>
            <p>
              You leave Intray and sign in at <strong className="break-all font-semibold">{way.host}</strong>.
              It asks whether Intray may use {server.name}, and sends you back here.
            </p>
            {departure.data.scopes.length > 0 && (
              <p className="text-[13px] text-muted">
                Intray asks for:{" "}
                <span className="break-words font-mono text-xs">{departure.data.scopes.join(", ")}</span>
              </p>
            )}
          </>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {asked && me.may("servers:manage") ? (
          <Button variant="primary" onClick={() => setAllowed(asked)}>
            {asked.length === 2 ? "Allow both hosts" : `Allow all ${asked.length} hosts`}
          </Button>
        ) : departure.isError ? (
          <Button variant="primary" onClick={() => void departure.refetch()}>
            Try again
          </Button>
        ) : (
          <Button variant="primary" disabled={!way} onClick={() => way && window.location.assign(way.href)}>
            <span className="max-w-64 truncate">{way ? `Go to ${way.host}` : "Go to sign in"}</span>
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** Asks for a yes to each host by name: tokens and codes of this sign-in go to all of them. */
function SeveralHosts({
  server,
  hosts: [issuer, ...others],
  mayAllow,
}: {
  server: string;
  hosts: string[];
  mayAllow: boolean;
}) {
  return (
    <Notice tone="wait" title="This sign-in uses more than one host.">
      <p>
        {server} signs people in at <strong className="break-all font-semibold">{issuer}</strong>, which sends
        parts of the sign-in to <HostNames hosts={others} />. If these hosts do not belong together, one could
        pretend to be the other.
      </p>
      <p>
        {mayAllow
          ? "Allow them only if you know that they belong together. Intray asks again if they change."
          : "An admin has to allow them by name: ask one to connect here first."}
      </p>
    </Notice>
  );
}

function HostNames({ hosts }: { hosts: string[] }) {
  return hosts.map((host, index) => (
    <span key={host}>
      {index > 0 && " and "}
      <strong className="break-all font-semibold">{host}</strong>
    </span>
  ));
}

/** Returns the hosts that an admin has to allow first, or null if the refusal is another. */
function hostsAskedFor(error: Error): string[] | null {
  if (!(error instanceof ApiError && error.code === "hosts_not_allowed")) return null;
  const hosts = z.array(z.string()).min(2).safeParse(error.extra.hosts);
  return hosts.data ?? null;
}

function Refused({ error }: { error: Error }) {
  if (!(error instanceof ApiError && error.code === "cannot_connect"))
    return <Notice tone="bad" title={errorSentence(error)} />;
  const { title, advice } = refusalWords(error.extra.reason);
  return (
    <Notice tone="bad" title={`${title}.`}>
      <p>{advice}</p>
      {typeof error.extra.redirectUri === "string" && (
        <p>
          The client has to allow this redirect address:{" "}
          <span className="break-all font-mono text-xs">{error.extra.redirectUri}</span>
        </p>
      )}
    </Notice>
  );
}

/** Returns the URL if it is http or https, else null (A16). */
function wayTo({ authorizationUrl }: Departure): URL | null {
  const url = URL.canParse(authorizationUrl) ? new URL(authorizationUrl) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}
