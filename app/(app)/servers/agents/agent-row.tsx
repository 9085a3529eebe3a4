import { CircleX, Clock3, TriangleAlert } from "lucide-react";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { Agent } from "@/lib/agents/agent-schema.ts";
import { changedTools, clientWords, grantWords, waitWords } from "@/lib/agents/agent-words.ts";
import { plural } from "@/lib/text/labels.ts";

export function AgentRow({ agent }: { agent: Agent }) {
  const { id, name, member, grants, lastSeenAt, calls, openTasks, waitingTasks, holdMs } = agent;
  return (
    <li className="relative flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3 transition-colors hover:bg-sunken">
      <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <Link
            href={`/servers/agents/${id}`}
            className="min-w-0 truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {name}
          </Link>
          <AgentBadges agent={agent} />
        </span>
        <span className="break-words text-muted text-xs">
          {agent.client && (
            <>
              <ClaimedClient client={agent.client} /> ·{" "}
            </>
          )}
          {member ? `signed in by ${member.name}` : "uses a secret"} · {grantWords(grants)} ·{" "}
          {waitWords(holdMs)}
        </span>
      </span>
      <span className="flex flex-col gap-1 text-right text-xs max-md:basis-full max-md:text-left">
        <span className={waitingTasks > 0 ? "text-wait" : "text-muted"}>
          {waitingTasks > 0
            ? `${plural(waitingTasks, "task")} waiting for people`
            : `${plural(openTasks, "open task")}`}
        </span>
        <span className="text-muted">
          {lastSeenAt ? (
            <>
              last seen <TimeAgo at={lastSeenAt} /> · {plural(calls, "call")}
            </>
          ) : (
            "never connected"
          )}
        </span>
      </span>
    </li>
  );
}

export function AgentBadges({ agent: { state, expiresAt, grants } }: { agent: Agent }) {
  const changed = changedTools(grants);
  return (
    <>
      {state === "expired" && (
        <Badge tone="bad" icon={CircleX}>
          Expired
        </Badge>
      )}
      {state === "expiring" && expiresAt && (
        <Badge tone="wait" icon={Clock3}>
          Ends <Day at={expiresAt} />
        </Badge>
      )}
      {changed > 0 && (
        <Badge tone="wait" icon={TriangleAlert}>
          {plural(changed, "changed tool")}
        </Badge>
      )}
    </>
  );
}

/** What the program says it is: anybody may say that. */
export function ClaimedClient({ client }: Pick<Agent, "client">) {
  if (!client) return <>No client yet</>;
  return (
    <span title="The program reports this name itself. Intray can’t check it.">
      <span className="break-all">{clientWords(client)}</span> (unverified)
    </span>
  );
}
