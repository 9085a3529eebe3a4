"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Organization } from "@/lib/people/organizations/organization-schema.ts";
import type { ShownPolicy } from "@/lib/policy/policy-schema.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { organization, organizationKeys, updateOrganization } from "@/lib/web/client/organization.ts";
import { policy, policyProposals } from "@/lib/web/client/settings/policy.ts";
import { Section } from "../section.tsx";
import { AutomaticRules } from "./automatic/automatic-rules.tsx";
import { DecidersTable } from "./deciders-table.tsx";
import { PolicyProposals } from "./policy-proposals.tsx";
import { PolicyVersions } from "./policy-versions.tsx";

const PolicyEditor = lazyComponent(() => import("./policy-editor.tsx").then((file) => file.PolicyEditor), {
  loading: () => <div aria-hidden className="skeleton h-96" />,
});

/** Who has to agree on which requests. */
export function PolicyScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const current = useQuery({ ...policy(), enabled: mayChange });
  const settings = useQuery({ ...organization(), enabled: mayChange });
  /** An earlier version that was taken up again. A new object each time, so that the same one can be again. */
  const [restored, setRestored] = useState<{ policy: ShownPolicy } | null>(null);
  if (!mayChange) return <Notice title="Only admins see and change the policy.">Ask one of them.</Notice>;
  if (!current.data) return <Unread what="The policy" query={current} className="h-64" />;
  const restore = (version: ShownPolicy) => {
    setRestored({ policy: version });
    document.querySelector("[data-scroller]")?.scrollTo({ top: 0 });
    toast("Restored as a draft. Save it to use it");
  };
  return (
    <>
      <PolicyProposals />
      <AutomaticRules />
      <PolicyEditor
        current={current.data}
        isProposed={settings.data?.twoPersonPolicy === true}
        restored={restored}
      />
      <DecidersTable />
      <PolicyVersions inForce={current.data.version} onRestore={restore} />
      {settings.data && <SecondAdmin saved={settings.data} />}
    </>
  );
}

/** Whether changes of the policy need a second admin. Turning this on counts at once; turning it off is proposed. */
function SecondAdmin({ saved }: { saved: Organization }) {
  const me = useMe();
  const client = useQueryClient();
  const update = useSave(organizationKeys.organization, updateOrganization, {
    onDone: ({ twoPersonPolicy }) => {
      void client.invalidateQueries({ queryKey: policyProposals().queryKey });
      toast(
        twoPersonPolicy && update.variables?.twoPersonPolicy === false
          ? "Proposed. It ends once another admin approves that"
          : "Changes of the policy need a second admin from now on",
      );
    },
  });
  return (
    <Section title="Second admin">
      <Switch
        checked={saved.twoPersonPolicy}
        disabled={!me.may("owners:manage") || update.isPending}
        onChange={(twoPersonPolicy) => update.mutate({ twoPersonPolicy })}
        label="Changes of the policy need a second admin"
        description="One admin proposes a change of the policy or of a group, another approves it. A member counts as one person with the member who invited them. Owners switch this on; switching it off needs a second admin too."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}
