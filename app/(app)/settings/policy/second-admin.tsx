"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { policyProposals } from "@/lib/api-client/settings/policy.ts";
import type { Organization } from "@/lib/organizations/schema.ts";
import { useUpdate } from "../organization/use-update.ts";
import { Section } from "../section.tsx";

/** Whether changes of the policy need a second admin. It begins at once; its end is proposed, as every other change. */
export function SecondAdmin({ saved }: { saved: Organization }) {
  const me = useMe();
  const client = useQueryClient();
  const update = useUpdate(({ twoPersonPolicy }) => {
    void client.invalidateQueries({ queryKey: policyProposals().queryKey });
    toast(
      twoPersonPolicy && update.variables?.twoPersonPolicy === false
        ? "Proposed. It ends once another admin approves that"
        : "Changes of the policy need a second admin from now on",
    );
  });
  return (
    <Section title="Second admin">
      <Switch
        checked={saved.twoPersonPolicy}
        disabled={!me.may("owners:manage") || update.isPending}
        onChange={(twoPersonPolicy) => update.mutate({ twoPersonPolicy })}
        label="Changes of the policy need a second admin"
        description="One admin proposes a change of the policy or of a group, another approves it. Members count as one person with whoever invited them. Owners switch this on; switching it off needs a second admin too."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}
