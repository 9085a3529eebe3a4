"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { organization } from "@/lib/api-client/organization.ts";
import { policy, policyVersions } from "@/lib/api-client/settings/policy.ts";
import { Section } from "../section.tsx";
import { AutomaticRules } from "./automatic/automatic-rules.tsx";
import { PolicyEditor } from "./policy-editor.tsx";
import { PolicyProposals } from "./policy-proposals.tsx";
import { SecondAdmin } from "./second-admin.tsx";

/** Who has to agree on which requests. */
export function PolicyScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const current = useQuery({ ...policy(), enabled: mayChange });
  const its = useQuery({ ...organization(), enabled: mayChange });
  const versions = useQuery({ ...policyVersions(), enabled: mayChange });
  if (!mayChange) return <Notice title="Only admins see and change the policy.">Ask one of them.</Notice>;
  if (current.isError && !current.data)
    return <LoadFailure what="The policy" error={current.error} onRetry={() => void current.refetch()} />;
  if (!current.data) return <div aria-hidden className="skeleton h-64" />;
  const saved = versions.data?.items ?? [];
  return (
    <>
      <PolicyProposals />
      <AutomaticRules />
      <PolicyEditor current={current.data} isProposed={its.data?.twoPersonPolicy === true} />
      {saved.length > 0 && (
        <Section
          title="Versions"
          description="Each version stays as it was. A request keeps the one under which it was asked."
        >
          <ol className="flex flex-col divide-y divide-line text-[13px]">
            {saved.map(({ version, rules, changedAt, changedBy }) => (
              <li key={version} className="flex flex-wrap gap-x-3 py-2">
                <span className="font-medium">Version {version}</span>
                <span className="min-w-0 flex-1 truncate text-muted">
                  {rules.length === 0 ? "No rules" : rules.join(" · ")}
                </span>
                <span className="text-muted">
                  {changedBy.name} <TimeAgo at={changedAt} />
                </span>
              </li>
            ))}
          </ol>
        </Section>
      )}
      {its.data && <SecondAdmin saved={its.data} />}
    </>
  );
}
