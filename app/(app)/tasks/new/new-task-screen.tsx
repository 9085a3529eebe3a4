"use client";

import { useQuery } from "@tanstack/react-query";
import { Lock, Server as ServerIcon } from "lucide-react";
import { useState } from "react";
import { PausedNotice } from "@/components/server/server-notices.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Server } from "@/lib/servers/server-schema.ts";
import { serverList, serverTools } from "@/lib/web/client/servers.ts";
import { taskDetail } from "@/lib/web/client/tasks/tasks.ts";
import { ArgumentsForm } from "./arguments/arguments-form.tsx";
import { SAMPLED_TOOL } from "./sample-buttons.tsx";
import { ToolPicker } from "./tool-picker.tsx";

export interface Given {
  server: string | null;
  tool: string | null;
  /** The id of a task to start again. */
  from: string | null;
}

/** Chooses a server and a tool, fills in the form, and starts a task. */
export function NewTaskScreen({ demo, given }: { demo: boolean; given: Given }) {
  const me = useMe();
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
  if (given.from) return <AgainScreen id={given.from} demo={demo} />;
  return (
    <Page title="New task" narrow>
      <Choose demo={demo} server={given.server} tool={given.tool} again={null} />
    </Page>
  );
}

/** Starts again with the server and tool of an earlier task; the arguments can be edited. */
function AgainScreen({ id, demo }: { id: string; demo: boolean }) {
  const task = useQuery(taskDetail(id));
  return (
    <Page title="Start again" narrow>
      {task.isError && <LoadFailure what="The task" error={task.error} onRetry={() => void task.refetch()} />}
      {task.isPending && <div aria-hidden className="skeleton h-48" />}
      {task.data && (
        <div className="flex max-w-3xl flex-col gap-5">
          <p className="text-[13px] text-muted">
            This starts a new task with the same arguments as{" "}
            <Link href={`/tasks/${id}`} className="underline underline-offset-2 hover:text-ink">
              <PlainText text={task.data.label ?? task.data.tool} />
            </Link>
            . What the old task has already done is not undone.
          </p>
          <Choose
            demo={demo}
            server={task.data.server.id}
            tool={task.data.tool}
            again={{ id, arguments: task.data.arguments }}
          />
        </div>
      )}
    </Page>
  );
}

function Choose({
  demo,
  server: givenServer,
  tool: givenTool,
  again,
}: {
  demo: boolean;
  server: string | null;
  tool: string | null;
  again: { id: string; arguments: Record<string, unknown> } | null;
}) {
  const servers = useQuery(serverList());
  const [chosenServer, setServer] = useState(givenServer);
  const [chosenTool, setTool] = useState(givenTool);
  const list = servers.data?.items ?? [];
  // A single server needs no choice.
  const serverId = chosenServer ?? (list.length === 1 ? (list[0]?.id ?? null) : null);
  const server = list.find((each) => each.id === serverId);
  const isConnected = server !== undefined && server.startsOn !== null;
  const tools = useQuery({ ...serverTools(serverId ?? ""), enabled: isConnected });
  const offered = tools.data?.items ?? [];
  // In the demo, the sample tool is chosen, whose form a sample fills in.
  const obvious =
    offered.length === 1 ? offered[0] : demo && offered.find(({ name }) => name === SAMPLED_TOOL);
  const tool = offered.find((each) => each.name === chosenTool) ?? ((!again && obvious) || undefined);

  if (servers.isError)
    return <LoadFailure what="The servers" error={servers.error} onRetry={() => void servers.refetch()} />;
  if (servers.data && list.length === 0) {
    return (
      <Empty
        icon={ServerIcon}
        title="No server is connected yet"
        action={
          <Button asChild variant="primary">
            <Link href="/servers">Go to servers</Link>
          </Button>
        }
      />
    );
  }
  return (
    <div className="flex max-w-3xl flex-col gap-6">
      {!again && (
        <div className="max-w-sm">
          <Field id="server" label="Server" required>
            {(control) => (
              <Select
                {...control}
                value={server?.id ?? ""}
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
      )}
      {server && server.startsOn === null && <NotConnected server={server} />}
      {server && (
        <PausedNotice server={server}>
          <p>New tasks wait in the queue until the pause ends.</p>
        </PausedNotice>
      )}
      {server?.authKind === "oauth" && isConnected && <RunsOn server={server} />}
      {isConnected && tools.isPending && <div aria-hidden className="skeleton h-24" />}
      {isConnected && tools.isError && (
        <LoadFailure what="The tools" error={tools.error} onRetry={() => void tools.refetch()} />
      )}
      {servers.data && again && !server && <Gone what="The task’s server was removed from Intray." />}
      {tools.data && again && !tool && (
        <Gone what={`${server?.name} does not offer ${givenTool} any more.`} />
      )}
      {isConnected && tools.data && !(again && !tool) && (
        <ToolPicker tools={again && tool ? [tool] : offered} chosen={tool?.name ?? null} onChoose={setTool} />
      )}
      {server && isConnected && tool && (
        <ArgumentsForm
          key={`${server.id} ${tool.name}`}
          server={server}
          tool={tool}
          demo={demo}
          again={again}
        />
      )}
    </div>
  );
}

function Gone({ what }: { what: string }) {
  return (
    <Notice tone="wait" title={what}>
      <p>The task can’t be started again as it was. Its arguments are on its page.</p>
    </Notice>
  );
}

function conditionOf({ startsOn, health, pause }: Server): string {
  if (startsOn === null) return " (not connected)";
  if (pause) return " (paused)";
  return health.state === "ok" ? "" : ` (${health.state})`;
}

/** Says in whose name the task will run. */
function RunsOn({ server }: { server: Server }) {
  const me = useMe();
  return (
    <p className="-mt-3 text-[13px] text-muted">
      {server.startsOn === "own"
        ? "The task uses your own connection and runs in your name. Only you and the people you assign see it."
        : `The task uses ${me.organization.name}’s shared connection. Everyone here sees it.`}
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
