"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { organizationDomains, signInPolicy } from "@/lib/web/client/identity.ts";
import { Domains } from "./domains.tsx";
import { PolicyForm } from "./policy-form.tsx";

/** How the organization's people sign in, and which domains are its own. */
export function SignInPolicyScreen() {
  const me = useMe();
  const mayRead = me.may("settings:manage");
  const policy = useQuery({ ...signInPolicy(), enabled: mayRead });
  const domains = useQuery({ ...organizationDomains(), enabled: mayRead });
  if (!mayRead) return <Notice title="Only admins see how people sign in.">Ask one of them.</Notice>;
  const failed = [policy, domains].find((query) => query.isError && !query.data);
  if (failed?.error) {
    const retry = () => void Promise.all([policy.refetch(), domains.refetch()]);
    return <LoadFailure what="The settings" error={failed.error} onRetry={retry} />;
  }
  if (!policy.data || !domains.data) return <div aria-hidden className="skeleton h-80" />;
  return (
    <>
      <PolicyForm key={JSON.stringify(policy.data)} saved={policy.data} mayChange={me.may("owners:manage")} />
      <Domains domains={domains.data.items} />
    </>
  );
}
