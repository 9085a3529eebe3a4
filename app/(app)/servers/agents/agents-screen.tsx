"use client";

import { useQuery } from "@tanstack/react-query";
import { Bot, Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { UserMenu } from "@/components/shell/user-menu.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { agentList } from "@/lib/web/client/agents.ts";
import { AgentRow } from "./agent-row.tsx";
import { Breadcrumb } from "./breadcrumb.tsx";

const CreateDialog = lazyComponent(() => import("./create-dialog.tsx").then((file) => file.CreateDialog));

/** The programs that call tools through Intray. `url`: where they do. */
export function AgentsScreen({ url }: { url: string }) {
  const me = useMe();
  const mayManage = me.may("agents:manage");
  const agents = useQuery({ ...agentList(), enabled: mayManage });
  const [making, setMaking] = useState(false);
  useTitle("Agents");
  const list = agents.data?.items;
  const make = (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      Add agent
    </Button>
  );
  return (
    <div data-scroller className="scroll-quiet flex-1">
      <div className="flex max-w-[1120px] flex-col gap-4 px-4 py-4 md:px-6">
        <header className="flex flex-col gap-2">
          <span className="md:hidden">
            <Breadcrumb above={[{ href: "/servers", label: "Servers" }]} name="Agents" />
          </span>
          <div className="flex min-h-9 flex-wrap items-center gap-3">
            <h1 className="min-w-0 flex-1 font-semibold text-[17px] tracking-tight">Agents</h1>
            {list && list.length > 0 && make}
            <span className="md:hidden">
              <UserMenu />
            </span>
          </div>
          <p className="max-w-prose text-[13px] text-muted">
            Agents call your servers’ tools through Intray, and Intray asks people. Each agent calls only the
            tools granted to it, and sees only its own tasks.
          </p>
        </header>
        {!mayManage && <Notice title="Only admins manage agents.">Ask one of them.</Notice>}
        {agents.isError && !list && (
          <LoadFailure what="The agents" error={agents.error} onRetry={() => void agents.refetch()} />
        )}
        {mayManage && agents.isPending && <div aria-hidden className="skeleton h-32" />}
        {list?.length === 0 && (
          <div className="rounded-lg border border-line bg-panel">
            <Empty icon={Bot} title="No agents yet" action={make}>
              Add one, choose its tools, and copy the set-up into Claude Code, Cursor or your own program.
            </Empty>
          </div>
        )}
        {list && list.length > 0 && (
          <ul
            aria-label="Agents"
            className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel"
          >
            {list.map((agent) => (
              <AgentRow key={agent.id} agent={agent} />
            ))}
          </ul>
        )}
        {making && <CreateDialog url={url} onClose={() => setMaking(false)} />}
      </div>
    </div>
  );
}
