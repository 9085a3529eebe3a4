"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { organization } from "@/lib/api-client/organization.ts";
import { policy } from "@/lib/api-client/settings/policy.ts";
import type { ShownPolicy } from "@/lib/policy/schema.ts";
import { AutomaticRules } from "./automatic/automatic-rules.tsx";
import { DecidersTable } from "./deciders-table.tsx";
import { PolicyProposals } from "./policy-proposals.tsx";
import { PolicyVersions } from "./policy-versions.tsx";
import { SecondAdmin } from "./second-admin.tsx";

const PolicyEditor = lazyComponent(() => import("./policy-editor.tsx").then((file) => file.PolicyEditor), {
  loading: () => <div aria-hidden className="skeleton h-96" />,
});

/** Who has to agree on which requests. */
export function PolicyScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const current = useQuery({ ...policy(), enabled: mayChange });
  const its = useQuery({ ...organization(), enabled: mayChange });
  /** An earlier version that was taken up again. A new object each time, so that the same one can be again. */
  const [restored, setRestored] = useState<{ policy: ShownPolicy } | null>(null);
  if (!mayChange) return <Notice title="Only admins see and change the policy.">Ask one of them.</Notice>;
  if (current.isError && !current.data)
    return <LoadFailure what="The policy" error={current.error} onRetry={() => void current.refetch()} />;
  if (!current.data) return <div aria-hidden className="skeleton h-64" />;
  const restore = (version: ShownPolicy) => {
    setRestored({ policy: version });
    document.querySelector("[data-scroller]")?.scrollTo({ top: 0 });
    toast("It is a draft now, and counts once it is saved");
  };
  return (
    <>
      <PolicyProposals />
      <AutomaticRules />
      <PolicyEditor
        current={current.data}
        isProposed={its.data?.twoPersonPolicy === true}
        restored={restored}
      />
      <DecidersTable />
      <PolicyVersions inForce={current.data.version} onRestore={restore} />
      {its.data && <SecondAdmin saved={its.data} />}
    </>
  );
}
