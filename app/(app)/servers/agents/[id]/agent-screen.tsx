"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { Agent } from "@/lib/agents/agent-schema.ts";
import { holdWords } from "@/lib/agents/agent-words.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { agentDetail } from "@/lib/web/client/agents.ts";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { useKeptError } from "@/lib/web/client/base/query-client.ts";
import { taskList } from "@/lib/web/client/tasks/tasks.ts";
import { AgentBadges, ClaimedClient } from "../agent-row.tsx";
import { Breadcrumb } from "../breadcrumb.tsx";
import { SetUp } from "../set-up.tsx";
import { AgentGrants, Part } from "./agent-grants.tsx";

const SHOWN = 10;

/** Without a skeleton: most agents have none. */
const EventSubscriptions = lazyComponent(() =>
  import("./event-subscriptions.tsx").then((file) => file.EventSubscriptions),
);

const StandingApprovals = lazyComponent(
  () => import("@/components/request/standing-approvals.tsx").then((file) => file.StandingApprovals),
  { loading: () => <div aria-hidden className="skeleton h-16" /> },
);

/** The newest tasks that an agent started. */
function AgentTasks({ agent }: { agent: Agent }) {
  const tasks = useInfiniteQuery(taskList({ requester: agent.id }));
  const list = tasks.data?.pages[0]?.items.slice(0, SHOWN);
  return (
    <Part
      title="Tasks it started"
      action={
        list &&
        list.length > 0 && (
          <Button asChild size="sm">
            <Link href={`/tasks?requester=${agent.id}`}>Show all</Link>
          </Button>
        )
      }
    >
      {tasks.isError && !list && (
        <LoadFailure what="The tasks" error={tasks.error} onRetry={() => void tasks.refetch()} />
      )}
      {tasks.isPending && <div aria-hidden className="skeleton h-16" />}
      {list?.length === 0 && <p className="text-muted">None yet.</p>}
      {list && list.length > 0 && (
        <ul
          aria-label="Tasks it started"
          className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel"
        >
          {list.map((task) => (
            <li key={task.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <Link
                href={`/tasks/${task.id}`}
                className="min-w-0 flex-1 underline-offset-4 hover:underline max-md:basis-full md:truncate"
              >
                {task.label ?? task.tool}
                <span className="text-muted"> · {task.server.name}</span>
              </Link>
              <StateBadge task={task} />
              <TimeAgo at={task.createdAt} className="text-muted text-xs" />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

const DIALOGS = {
  edit: lazyComponent(() => import("./edit-dialog.tsx").then((file) => file.EditDialog)),
  rotate: lazyComponent(() => import("./credential-dialogs.tsx").then((file) => file.RotateDialog)),
  revoke: lazyComponent(() => import("./credential-dialogs.tsx").then((file) => file.RevokeDialog)),
};

export function AgentScreen({ id, url }: { id: string; url: string }) {
  const agent = useQuery(agentDetail(id));
  const failure = useKeptError(agent);
  useTitle(agent.data?.name ?? "Agent");
  return (
    <div data-scroller className="scroll-quiet flex-1">
      <div className="flex max-w-[1120px] flex-col gap-5 px-4 py-4 md:px-6">
        {agent.data ? (
          <Loaded agent={agent.data} url={url} />
        ) : failure ? (
          <NotLoaded error={failure} onRetry={() => void agent.refetch()} />
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

function Loaded({ agent, url }: { agent: Agent; url: string }) {
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  const { name, role, member, createdBy, createdAt, expiresAt, lastSeenAt, firstSeenAt } = agent;
  const me = useMe();
  /** Only who made the agent may have its new secret. */
  const isMaker = member === null && createdBy?.id === me.user.id;
  return (
    <>
      <header className="flex flex-col gap-2">
        <Breadcrumb above={[{ href: "/servers/agents", label: "Agents" }]} name={name} />
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="min-w-0 break-words font-semibold text-[21px] leading-tight tracking-tight">
            {name}
          </h1>
          <AgentBadges agent={agent} />
          <div className="flex flex-wrap gap-2 max-md:w-full max-md:*:flex-1 md:ml-auto">
            <Button onClick={() => setAsking("edit")}>Edit…</Button>
            {isMaker && <Button onClick={() => setAsking("rotate")}>New secret…</Button>}
            <Button variant="danger" onClick={() => setAsking("revoke")}>
              Revoke…
            </Button>
          </div>
        </div>
      </header>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-x-6 gap-y-3 rounded-lg border border-line bg-panel p-4">
        <Fact label="Client">
          <ClaimedClient client={agent.client} />
        </Fact>
        <Fact label={member ? "Signed in by" : "Added by"}>
          {(member ?? createdBy)?.name ?? "The command line"}, <Day at={createdAt} />
        </Fact>
        <Fact label="First seen">{firstSeenAt ? <TimeAgo at={firstSeenAt} /> : "Never"}</Fact>
        <Fact label="Last seen">
          {lastSeenAt ? (
            <>
              <TimeAgo at={lastSeenAt} />
              {agent.lastSeenNetwork && ` from ${agent.lastSeenNetwork}`}
            </>
          ) : (
            "Never"
          )}
        </Fact>
        <Fact label="Calls">{agent.calls}</Fact>
        <Fact label="Open tasks">
          {agent.openTasks}
          {agent.waitingTasks > 0 && `, ${agent.waitingTasks} waiting for people`}
        </Fact>
        <Fact label="Wait up to">{holdWords(agent.holdMs)}</Fact>
        <Fact label="Role">{capitalise(role)}</Fact>
        <Fact label={agent.state === "expired" ? "Ended" : "Ends"}>
          {expiresAt ? <Day at={expiresAt} /> : member ? `With ${member.name}’s sign-in` : "Never"}
        </Fact>
      </dl>
      <AgentGrants agent={agent} onGrant={() => setAsking("edit")} />
      <Part title="Approvals for a while">
        <StandingApprovals agentId={agent.id} />
      </Part>
      <EventSubscriptions agentId={agent.id} name={name} />
      <AgentTasks agent={agent} />
      <Part title="Set-up">
        {member ? (
          <p className="text-muted">
            It was signed in from its own program. To connect it again, sign in there, at{" "}
            <span className="break-all font-mono text-[13px]">{url}</span>.
          </p>
        ) : (
          <div className="rounded-lg border border-line bg-panel p-4">
            <SetUp agentId={agent.id} url={url} secret={null} />
          </div>
        )}
      </Part>
      {Asked && <Asked agent={agent} url={url} onClose={() => setAsking(null)} />}
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="min-w-0 break-words text-[13px]">{children}</dd>
    </div>
  );
}

function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError && [403, 404].includes(error.status)))
    return <LoadFailure what="The agent" error={error} onRetry={onRetry} />;
  return (
    <Empty
      heading="h1"
      icon={Unplug}
      title="Agent not found"
      action={
        <Button asChild>
          <Link href="/servers/agents">Show all agents</Link>
        </Button>
      }
    >
      It may have been revoked, or you may not see it.
    </Empty>
  );
}
