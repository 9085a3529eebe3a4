"use client";

import { useQuery } from "@tanstack/react-query";
import { Lock, Server as ServerIcon } from "lucide-react";
import { useState } from "react";
import { serverList, serverTools } from "@/components/api/servers.ts";
import { PausedNotice } from "@/components/server/paused-notice.tsx";
import { useMe } from "@/components/shell/me.tsx";
import { Page } from "@/components/shell/page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Select } from "@/components/ui/select.tsx";
import type { Server } from "@/lib/servers/schema.ts";
import { ArgumentsForm } from "./arguments-form.tsx";
import { ToolPicker } from "./tool-picker.tsx";

/** Pick a server, pick a tool, fill in its form, start. */
export function NewTaskScreen({ demo }: { demo: boolean }) {
  const me = useMe();
  const servers = useQuery(serverList());
  const [chosenServer, setServer] = useState<string | null>(null);
  const [chosenTool, setTool] = useState<string | null>(null);
  const list = servers.data?.items ?? [];
  // With a single server there is nothing to choose.
  const serverId = chosenServer ?? (list.length === 1 ? (list[0]?.id ?? null) : null);
  const server = list.find((each) => each.id === serverId);
  const isConnected = server !== undefined && server.startsOn !== null;
  const tools = useQuery({ ...serverTools(serverId ?? ""), enabled: isConnected });
  const offered = tools.data?.items ?? [];
  const tool =
    offered.find((each) => each.name === chosenTool) ?? (offered.length === 1 ? offered[0] : undefined);

  if (!me.may("tasks:start")) {
    return (
      <Page title="New task" narrow>
        <Empty icon={Lock} title="Operators start tasks">
          You can read tasks and {me.may("requests:answer") ? "answer requests" : "requests"}. Ask an admin
          for another role.
        </Empty>
      </Page>
    );
  }
  return (
    <Page title="New task" narrow>
      {servers.isError && (
        <LoadFailure what="The servers" error={servers.error} onRetry={() => void servers.refetch()} />
      )}
      {servers.data && list.length === 0 ? (
        <Empty
          icon={ServerIcon}
          title="No server is connected yet"
          action={
            <Button asChild variant="primary">
              <Link href="/servers">Go to servers</Link>
            </Button>
          }
        />
      ) : (
        <div className="flex max-w-3xl flex-col gap-6">
          <div className="max-w-sm">
            <Field id="server" label="Server" required>
              {(control) => (
                <Select
                  {...control}
                  value={serverId ?? ""}
                  onChange={(event) => {
                    setServer(event.target.value || null);
                    setTool(null);
                  }}
                >
                  <option value="">Choose a server…</option>
                  {list.map((server) => (
                    <option key={server.id} value={server.id}>
                      {server.name}
                      {conditionOf(server)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </div>
          {server && server.startsOn === null && <NotConnected server={server} />}
          {server && (
            <PausedNotice server={server}>
              <p>What you start waits in the queue until the pause ends.</p>
            </PausedNotice>
          )}
          {server?.authKind === "oauth" && isConnected && <RunsOn server={server} />}
          {isConnected && tools.isPending && <div aria-hidden className="skeleton h-24" />}
          {isConnected && tools.isError && (
            <LoadFailure what="The tools" error={tools.error} onRetry={() => void tools.refetch()} />
          )}
          {isConnected && tools.data && (
            <ToolPicker tools={offered} chosen={tool?.name ?? null} onChoose={setTool} />
          )}
          {serverId && isConnected && tool && (
            <ArgumentsForm key={`${serverId} ${tool.name}`} serverId={serverId} tool={tool} demo={demo} />
          )}
        </div>
      )}
    </Page>
  );
}

function conditionOf({ startsOn, health, pause }: Server): string {
  if (startsOn === null) return " (not connected)";
  if (pause) return " (paused)";
  return health.state === "ok" ? "" : ` (${health.state})`;
}

/** In whose name the task will run, said before it is started. */
function RunsOn({ server }: { server: Server }) {
  const me = useMe();
  return (
    <p className="-mt-3 text-[13px] text-muted">
      {server.startsOn === "own"
        ? "It runs on your own connection, in your name. Only you see the task, and those you assign."
        : `It runs on ${me.organization.name}’s shared connection. Everyone here sees the task.`}
    </p>
  );
}

function NotConnected({ server }: { server: Server }) {
  return (
    <Notice
      tone="wait"
      title={`You are not connected to ${server.name}.`}
      action={
        <Button asChild variant="primary">
          <Link href={`/servers/${server.id}`}>Connect it first</Link>
        </Button>
      }
    >
      <p>Sign in there once, or ask an admin to connect it for all.</p>
    </Notice>
  );
}
