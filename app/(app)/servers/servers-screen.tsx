"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bot, Plus, Server as ServerIcon } from "lucide-react";
import { useState } from "react";
import { ConnectDialog } from "@/components/server/connect-dialog.tsx";
import { HealthBadge, LateLine, PausedBadge } from "@/components/server/health.tsx";
import { ConnectionBadge, OperatorBadge, ServerWhere } from "@/components/server/server-badges.tsx";
import { ArrivalNotice, type ArrivalQuery } from "@/components/server/server-notices.tsx";
import { TestButton } from "@/components/server/test-button.tsx";
import { type ReadAlready, useRead } from "@/components/shell/api-provider.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { formatShare } from "@/lib/requests/statistics/overview-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { formatLatency } from "@/lib/text/formats/formats.ts";
import { serverList } from "@/lib/web/client/servers.ts";

export function ServersScreen({ read, arrival }: { read: ReadAlready; arrival: ArrivalQuery }) {
  useRead(useQueryClient(), read);
  const me = useMe();
  const servers = useQuery(serverList());
  const [connecting, setConnecting] = useState(false);
  const list = servers.data?.items;
  const ill = list?.filter((server) => server.health.state !== "ok").length ?? 0;
  useTitle(ill > 0 ? `Servers (${ill} with trouble)` : "Servers");
  const connect = me.may("servers:manage") && (
    <Button variant="primary" onClick={() => setConnecting(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      <span>
        Connect<span className="max-md:sr-only"> server</span>
      </span>
    </Button>
  );
  return (
    <Page
      title="Servers"
      actions={
        <>
          {me.may("agents:manage") && (
            <Button asChild>
              <Link href="/servers/agents">
                <Bot aria-hidden strokeWidth={1.75} />
                <span className="max-md:sr-only">Agents</span>
              </Link>
            </Button>
          )}
          {list && list.length > 0 && connect}
        </>
      }
    >
      <ArrivalNotice arrival={arrival} />
      {servers.isError && !list && (
        <LoadFailure what="The servers" error={servers.error} onRetry={() => void servers.refetch()} />
      )}
      {servers.isPending && (
        <div aria-hidden className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,24rem),1fr))] gap-3">
          <div className="skeleton h-32" />
          <div className="skeleton h-32" />
        </div>
      )}
      {list?.length === 0 && (
        <div className="rounded-lg border border-line bg-panel">
          <Empty icon={ServerIcon} title="No server is connected yet" action={connect}>
            {me.may("servers:manage")
              ? "Connect an MCP server whose tools run as tasks."
              : "Admins connect MCP servers."}
          </Empty>
        </div>
      )}
      {list && list.length > 0 && (
        <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,24rem),1fr))] gap-3">
          {list.map((server) => (
            <li key={server.id}>
              <ServerCard server={server} />
            </li>
          ))}
        </ul>
      )}
      <ConnectDialog open={connecting} onOpenChange={setConnecting} />
    </Page>
  );
}

function ServerCard({ server }: { server: Server }) {
  const formats = useFormats();
  const waitsForSignIn = server.startsOn === null && server.health.state === "unauthorized";
  return (
    <article className="relative flex h-full flex-col gap-3 rounded-lg border border-line bg-panel p-4 transition-colors hover:border-edge">
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          <h2 className="truncate font-semibold">
            <Link
              href={`/servers/${server.id}`}
              className="after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
            >
              {server.name}
            </Link>
          </h2>
          <p className="truncate text-muted">
            <ServerWhere server={server} />
          </p>
        </div>
        <span className="flex shrink-0 flex-col items-end gap-1">
          {waitsForSignIn ? (
            <ConnectionBadge state="not_connected" />
          ) : (
            <HealthBadge health={server.health} />
          )}
          {server.pause && <PausedBadge />}
        </span>
      </div>
      {server.health.state !== "ok" && server.health.message && (
        <p className="line-clamp-2 text-[13px] text-muted">{server.health.message}</p>
      )}
      {server.late && <LateLine late={server.late} className="text-[13px] text-muted" />}
      <div className="mt-auto flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1.5 text-muted text-xs">
        <OperatorBadge server={server} />
        {server.era ? <EraBadge era={server.era} /> : <span>Protocol version unknown</span>}
        {server.lastDay.successRate !== null && (
          <span title="Calls of the last 24 hours">
            {formatShare(server.lastDay.successRate, formats)} answered
            {server.lastDay.p90Ms !== null && `, p90 ${formatLatency(server.lastDay.p90Ms, formats)}`}
          </span>
        )}
        {server.health.checkedAt && (
          <span>
            checked <TimeAgo at={server.health.checkedAt} />
          </span>
        )}
        <span className="relative ml-auto">
          <TestButton server={server} small />
        </span>
      </div>
    </article>
  );
}
