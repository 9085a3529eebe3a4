"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bot, Plus, Server as ServerIcon } from "lucide-react";
import { useState } from "react";
import { ArrivalNotice, type ArrivalQuery } from "@/components/server/arrival-notice.tsx";
import { ConnectDialog } from "@/components/server/connect-dialog.tsx";
import { type ReadAlready, useRead } from "@/components/shell/api-provider.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { serverList } from "@/lib/api-client/servers.ts";
import { ServerCard } from "./server-card.tsx";

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
      Connect server
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
                Agents
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
