"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { callRules } from "@/lib/web/client/agents.ts";
import { serverList } from "@/lib/web/client/servers.ts";
import { RulesEditor } from "./rules-editor.tsx";

/** Which calls are allowed, which require approval, and which are denied. */
export function CallRulesScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const rules = useQuery({ ...callRules(), enabled: mayChange });
  const servers = useQuery({ ...serverList(), enabled: mayChange });
  if (!mayChange) return <Notice title="Only admins see and change call rules.">Ask one of them.</Notice>;
  const failed = [rules, servers].find((query) => query.isError && !query.data);
  if (failed?.error) {
    const retry = () => void Promise.all([rules.refetch(), servers.refetch()]);
    return <LoadFailure what="The call rules" error={failed.error} onRetry={retry} />;
  }
  if (!rules.data || !servers.data) return <div aria-hidden className="skeleton h-64" />;
  const { version, changedAt, changedBy } = rules.data;
  return (
    <>
      <RulesEditor current={rules.data} servers={servers.data.items} />
      {changedAt && changedBy && (
        <p className="text-[13px] text-muted">
          Version {version}, saved by {actorWords(changedBy)} <TimeAgo at={changedAt} />
        </p>
      )}
    </>
  );
}
