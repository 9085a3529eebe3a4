"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { AllowHost } from "@/components/server/allow-host.tsx";
import { HealthBadge } from "@/components/server/health.tsx";
import { ServerTools } from "@/components/server/server-tools.tsx";
import { TestButton } from "@/components/server/test-button.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { CreateServerInput, Health, Server } from "@/lib/servers/server-schema.ts";
import { unreachedAdvice } from "@/lib/servers/words/address-words.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { onboardingKey } from "@/lib/web/client/onboarding.ts";
import { serverDetail, serverKeys } from "@/lib/web/client/servers.ts";

/** A server that can be registered, then its reply. `atOnce`: registers without another press. */
export function FoundServer({
  found,
  atOnce,
  onRemoved,
}: {
  found: CreateServerInput;
  atOnce: boolean;
  onRemoved: () => void;
}) {
  const client = useQueryClient();
  const connect = useMutation({
    mutationFn: () => api.post<Server>("/api/v1/servers", found),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: serverKeys.list });
      void client.invalidateQueries({ queryKey: onboardingKey });
    },
  });
  const called = found.name ?? new URL(found.url).host;
  const begun = useRef(false);
  useEffect(() => {
    if (!atOnce || begun.current) return;
    begun.current = true;
    connect.mutate();
  }, [atOnce, connect.mutate]);
  return (
    <article className="flex flex-col gap-3 rounded-lg border border-line p-3.5">
      {connect.data ? (
        <Connected registered={connect.data} onRemoved={onRemoved} />
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="flex min-w-52 flex-1 flex-col gap-0.5">
            <h3 className="truncate font-medium">{called}</h3>
            <p className="break-all font-mono text-[13px] text-muted">{found.url}</p>
            {found.auth.kind === "bearer" && <p className="text-[13px] text-muted">With a Bearer token</p>}
          </div>
          <Button
            variant="primary"
            disabled={connect.isPending}
            aria-label={`Connect ${called}`}
            onClick={() => connect.mutate()}
          >
            {connect.isPending ? "Connecting…" : connect.isError ? "Try again" : "Connect"}
          </Button>
        </div>
      )}
      {connect.isError && (
        <Notice live tone="bad" title={`${called} was not connected`}>
          <p>{refusalOf(connect.error, found.url)}</p>
          {isAddressRefused(connect.error) && (
            <AllowHost url={found.url} onAllowed={() => connect.mutate()} />
          )}
        </Notice>
      )}
    </article>
  );
}

const isAddressRefused = (error: unknown) =>
  error instanceof ApiError && error.code === "address_not_allowed";

function refusalOf(error: unknown, url: string): string {
  return isAddressRefused(error)
    ? `Its address could not be reached, or is not allowed here. ${unreachedAdvice(url)}`
    : errorSentence(error);
}

/** The server's tools, or its error and the remedy. */
function Connected({ registered, onRemoved }: { registered: Server; onRemoved: () => void }) {
  const client = useQueryClient();
  const current = useQuery(serverDetail(registered.id));
  const server = current.data ?? registered;
  const remove = useMutation({
    mutationFn: () => api.delete(`/api/v1/servers/${server.id}`),
    onSuccess: () => {
      onRemoved();
      void client.invalidateQueries({ queryKey: serverKeys.list });
      void client.invalidateQueries({ queryKey: onboardingKey });
    },
  });
  const test = useMutation({
    mutationFn: () => api.post(`/api/v1/servers/${server.id}/check`),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: serverKeys.all });
      void client.invalidateQueries({ queryKey: onboardingKey });
    },
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="min-w-0 truncate font-medium">
          <Link href={`/servers/${server.id}`} className="underline-offset-4 hover:underline">
            {server.name}
          </Link>
        </h3>
        <HealthBadge health={server.health} />
        <span className="ml-auto">
          <TestButton
            server={server}
            small
            onChecked={() => void client.invalidateQueries({ queryKey: onboardingKey })}
          />
        </span>
      </div>
      {server.health.state === "ok" ? (
        // Limits the height: a server may have a hundred tools, and more steps follow below.
        <div className="max-h-96 overflow-y-auto">
          <ServerTools server={server} />
        </div>
      ) : (
        <Notice
          live
          tone="bad"
          title={server.health.message ?? "The server gives an unexpected answer"}
          action={
            <span className="flex flex-wrap gap-2">
              <Button asChild>
                <Link href={`/servers/${server.id}`}>Change the server</Link>
              </Button>
              <Button disabled={remove.isPending} onClick={() => remove.mutate()}>
                Remove it and start over
              </Button>
            </span>
          }
        >
          <p>{whatToDo(server.health.state, server.url)}</p>
          {server.health.state === "unreachable" && (
            <AllowHost url={server.url} onAllowed={() => test.mutate()} />
          )}
          {test.error && <p>{errorSentence(test.error)}</p>}
          {remove.error && <p>{errorSentence(remove.error)}</p>}
        </Notice>
      )}
    </>
  );
}

function whatToDo(state: Exclude<Health["state"], "ok">, url: string | null): string {
  return state === "unreachable" ? `The server is saved. ${unreachedAdvice(url ?? "")}` : WHAT_TO_DO[state];
}

const WHAT_TO_DO = {
  unauthorized: "The server is saved, but needs a sign-in. Give it a token or choose OAuth on its page.",
  failing: "The server is saved. The address may be wrong: many MCP addresses end in /mcp.",
};
