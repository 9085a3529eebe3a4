"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronRight, Unplug } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { AllowHost } from "@/components/server/allow-host.tsx";
import { HealthBadge, PausedBadge } from "@/components/server/health.tsx";
import { ConnectionBadge, OperatorBadge, ServerWhere } from "@/components/server/server-badges.tsx";
import { ArrivalNotice, type ArrivalQuery } from "@/components/server/server-notices.tsx";
import { ServerTools } from "@/components/server/server-tools.tsx";
import { TestButton, TestResult } from "@/components/server/test-button.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import type { CheckedServer, Server, ServerDetail } from "@/lib/servers/server-schema.ts";
import { unreachedAdvice } from "@/lib/servers/words/address-words.ts";
import { describeTraits } from "@/lib/servers/words/traits.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { useKeptError } from "@/lib/web/client/base/query-client.ts";
import { serverDetail, serverKeys } from "@/lib/web/client/servers.ts";
import { FoundTasks } from "./found-tasks.tsx";
import { PauseButton, ServerPaused } from "./pause-server.tsx";
import { ServerRecipes } from "./recipes/server-recipes.tsx";
import { ServerConnections } from "./server-connections.tsx";
import { ServerHealth } from "./server-health.tsx";
import { EditServer, RemoveServer } from "./server-manage.tsx";

export function ServerScreen({ id, arrival }: { id: string; arrival: ArrivalQuery }) {
  const server = useQuery(serverDetail(id));
  const failure = useKeptError(server);
  useTitle(server.data?.name ?? "Server");
  return (
    <div className="scroll-quiet flex-1">
      <div className="flex max-w-[1120px] flex-col gap-5 px-4 py-4 md:px-6">
        {server.data ? (
          <Loaded server={server.data} arrival={arrival} />
        ) : failure ? (
          <NotLoaded error={failure} onRetry={() => void server.refetch()} />
        ) : (
          <div aria-hidden className="flex flex-col gap-4">
            <div className="skeleton h-4 w-32" />
            <div className="skeleton h-7 w-64" />
            <div className="skeleton h-40" />
          </div>
        )}
      </div>
    </div>
  );
}

function Loaded({ server, arrival }: { server: ServerDetail; arrival: ArrivalQuery }) {
  const me = useMe();
  const client = useQueryClient();
  const [checked, setChecked] = useState<CheckedServer | null>(null);
  const { health } = server;
  const test = useMutation({
    mutationFn: () => api.post<CheckedServer>(`/api/v1/servers/${server.id}/check`),
    onSuccess: setChecked,
    onSettled: () => client.invalidateQueries({ queryKey: serverKeys.all }),
  });
  // The connections below say so, with a button.
  const waitsForSignIn = server.startsOn === null && health.state === "unauthorized";
  // Only 2025-11-25 lets servers list their tasks.
  const mayListTasks =
    (server.authKind !== "oauth" || server.startsOn !== null) &&
    server.era !== "2026-07-28" &&
    server.traits.listsTasks !== false;
  return (
    <>
      <header className="flex flex-col gap-2">
        <nav aria-label="Breadcrumb" className="flex items-center gap-1.5 text-[13px] text-muted">
          <Link
            href="/servers"
            className="hover:text-ink hover:underline max-md:-mx-3 max-md:-my-3 max-md:p-3"
          >
            Servers
          </Link>
          <ChevronRight aria-hidden className="size-3.5" strokeWidth={1.75} />
          <span className="truncate">{server.name}</span>
        </nav>
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="min-w-0 font-semibold text-[21px] leading-tight tracking-tight">{server.name}</h1>
          {waitsForSignIn ? <ConnectionBadge state="not_connected" /> : <HealthBadge health={health} />}
          {server.pause && <PausedBadge />}
          <div className="flex flex-wrap gap-2 max-md:w-full md:ml-auto">
            <TestButton server={server} onChecked={setChecked} />
            <PauseButton server={server} />
            {server.origin === "admin" && <EditServer server={server} />}
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-muted">
          <ServerWhere server={server} className="break-all" />
          <OperatorBadge server={server} />
          <EraBadge era={server.era} />
          <span>{protocolWords(server)}</span>
          {server.origin === "admin" && <span>{AUTH[server.authKind]}</span>}
          {health.checkedAt && (
            <span>
              checked <TimeAgo at={health.checkedAt} />
            </span>
          )}
        </div>
      </header>
      <ArrivalNotice arrival={arrival} />
      <ServerPaused server={server} />
      {checked && <TestResult steps={checked.steps} />}
      {health.state !== "ok" && health.checkedAt && !waitsForSignIn && (
        <Notice tone="bad" title={health.message ?? "The server gives an unexpected answer."}>
          <p>
            Its tasks are kept, and continue once it is back.
            {health.state === "unreachable" && ` ${unreachedAdvice(server.url ?? "")}`}
          </p>
          {health.state === "unreachable" && <AllowHost url={server.url} onAllowed={() => test.mutate()} />}
        </Notice>
      )}
      {server.authKind === "oauth" && <ServerConnections server={server} />}
      <ServerHealth server={server} />
      <ServerTraits server={server} />
      {mayListTasks && me.may("tasks:find") && <FoundTasks server={server} />}
      <ServerTools server={server} />
      <ServerRecipes server={server} />
      {server.log && <ServerLog log={server.log} />}
      <ServerTracing server={server} />
      {server.origin === "admin" && <RemoveServer server={server} />}
    </>
  );
}

function protocolWords(server: ServerDetail): string {
  if (server.eraSetting === "auto")
    return server.era ? "protocol version detected" : "protocol version not detected yet";
  return server.origin === "operator"
    ? "protocol version set by the operator"
    : "protocol version set by an admin";
}

const AUTH = { none: "no credentials", bearer: "bearer token", oauth: "OAuth" };

function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError && error.status === 404)) {
    return <LoadFailure what="The server" error={error} onRetry={onRetry} />;
  }
  return (
    <Empty
      heading="h1"
      icon={Unplug}
      title="Server not found"
      action={
        <Button asChild>
          <Link href="/servers">Show all servers</Link>
        </Button>
      }
    >
      It may have been removed, or it belongs to another organization.
    </Empty>
  );
}

/** The server's observed capabilities, and their consequences for people. */
function ServerTraits({ server }: { server: ServerDetail }) {
  const { seen, notYet } = describeTraits(server);
  return (
    <section aria-labelledby="traits-heading" className="flex flex-col gap-2.5">
      <h2 id="traits-heading" className="font-medium text-[13px] text-muted">
        Capabilities
      </h2>
      <div className="rounded-lg border border-line bg-panel">
        {seen.length > 0 && (
          <ul className="flex flex-col divide-y divide-line">
            {seen.map((trait) => (
              <li key={trait.text} className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 md:grid-cols-2">
                <p className="font-medium">{trait.text}</p>
                <p className="text-muted max-md:text-[13px]">{trait.means}</p>
              </li>
            ))}
          </ul>
        )}
        {notYet.length > 0 && (
          <p
            className={`px-4 py-2.5 text-[13px] text-muted ${seen.length > 0 ? "border-line border-t" : ""}`}
          >
            Not known yet: {notYet.join("; ")}.
          </p>
        )}
      </div>
    </section>
  );
}

/** The last lines of a command server's log. Focusable, so that the keyboard can scroll it. */
function ServerLog({ log }: { log: NonNullable<ServerDetail["log"]> }) {
  const box = useRef<HTMLElement>(null);
  // Scrolls to the newest lines, at the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again with each new line
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log.tail]);
  return (
    <section aria-labelledby="log-heading" className="flex flex-col gap-2.5">
      <h2 id="log-heading" className="flex flex-wrap gap-x-2 font-medium text-[13px] text-muted">
        Log
        <span className="font-normal">
          last written <TimeAgo at={log.at} />
        </span>
      </h2>
      <section
        ref={box}
        aria-label="The server’s log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="scroll-quiet max-h-80 overflow-x-auto rounded-lg border border-line bg-panel px-3.5 py-3"
      >
        <pre className="font-mono text-xs leading-5">{log.tail}</pre>
      </section>
    </section>
  );
}

/** For admins: whether calls to the server carry trace context. */
function ServerTracing({ server }: { server: Server }) {
  const me = useMe();
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (trace: boolean) => api.patch(`/api/v1/servers/${server.id}`, { trace }),
    onSuccess: () => client.invalidateQueries({ queryKey: serverKeys.all }),
  });
  if (!me.may("servers:manage") || server.origin !== "admin") return null;
  const isOn = update.isPending ? update.variables : server.trace;
  return (
    <section aria-labelledby="tracing-heading" className="flex flex-col gap-2.5">
      <h2 id="tracing-heading" className="font-medium text-[13px] text-muted">
        Tracing
      </h2>
      <div className="flex flex-col gap-3 rounded-lg border border-line bg-panel px-4 py-3">
        <Switch
          checked={isOn}
          onChange={(trace) => update.mutate(trace)}
          label="Send trace context"
          description="For your own servers: each call carries the id of its trace, and nothing else."
        />
        {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
      </div>
    </section>
  );
}
