"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import type { Organization } from "@/lib/organizations/schema.ts";
import { Section } from "../section.tsx";
import { FourEyesProposal } from "./four-eyes-proposal.tsx";
import { useUpdate } from "./use-update.ts";

const ONE_PERSON =
  "Members count as one person with whoever invited them, until another owner vouches for them.";

/** The rule of a second person. It begins at once; its end is a proposal. */
export function FourEyes({ saved }: { saved: Organization }) {
  const me = useMe();
  const update = useUpdate(({ fourEyesProposal }) =>
    toast(
      fourEyesProposal
        ? "Proposed. A second person is required until somebody else accepts"
        : "A second person is required from now on",
    ),
  );
  const isOn = update.isPending ? update.variables.fourEyes === true : saved.fourEyes;
  const { fourEyesProposal: proposal } = saved;
  if (!me.may("settings:manage"))
    return (
      <Section title="Require a second person">
        <p className="text-muted">
          {isOn
            ? `Whoever asked for a task may not accept its requests: somebody else has to. ${ONE_PERSON} Declining is always possible.`
            : "Off: everybody who may answer may accept what they asked for."}
        </p>
      </Section>
    );
  return (
    <Section title="Require a second person">
      <Switch
        checked={isOn}
        disabled={proposal !== null || update.isPending}
        onChange={(fourEyes) => update.mutate({ fourEyes })}
        label="Require a second person"
        description={`Whoever asked for a task, themselves or with an API key, may not accept its requests. ${ONE_PERSON} Declining is always possible. Switching it off needs a second person too, or 72 hours.`}
      />
      {proposal && <FourEyesProposal proposal={proposal} />}
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}
