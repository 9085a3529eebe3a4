"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import { againstRecord } from "@/lib/policy/automatic/automatic-status.ts";
import { groupChanges, groupChangeTitle } from "@/lib/policy/groups/group-words.ts";
import type { PolicyProposal } from "@/lib/policy/proposals/proposal-schema.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";
import {
  approvePolicyProposal,
  policy,
  policyProposals,
  withdrawPolicyProposal,
} from "@/lib/web/client/settings/policy.ts";
import { PolicyChanges } from "./policy-changes.tsx";

/** The changes that wait for a second admin: all of them, or those of groups alone. */
export function PolicyProposals({ of = "all" }: { of?: "all" | "groups" }) {
  const open = useQuery(policyProposals());
  return open.data?.items
    .filter(({ group }) => of === "all" || group !== null)
    .map((proposal) => <Proposal key={proposal.id} proposal={proposal} />);
}

function Proposal({ proposal }: { proposal: PolicyProposal }) {
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: async (what: "approve" | "withdraw") => {
      await (what === "approve" ? approvePolicyProposal(proposal.id) : withdrawPolicyProposal(proposal.id));
      return what;
    },
    onSuccess: (what) => toast(what === "approve" ? "Approved. It is in effect now" : "Withdrawn"),
    onSettled: () =>
      Promise.all([
        // Its versions, proposals and groups too.
        client.invalidateQueries({ queryKey: policy().queryKey }),
        client.invalidateQueries({ queryKey: organizationKeys.organization }),
      ]),
  });
  const { by, at, policy: proposed, group, changes, acknowledged, mayApprove } = proposal;
  return (
    <Notice
      tone="wait"
      title={
        group !== null
          ? `${actorWords(by, { begins: true })} proposed to ${groupChangeTitle(group)}`
          : proposed === null
            ? `${actorWords(by, { begins: true })} proposed to stop requiring a second admin for changes of the policy`
            : `${actorWords(by, { begins: true })} proposed a change of the policy`
      }
    >
      <p>
        Proposed <TimeAgo at={at} />. It takes effect once another admin approves it.
      </p>
      {group !== null && (
        <p className="whitespace-pre-line break-words">
          <PlainText text={groupChanges(group)} />
        </p>
      )}
      {proposed !== null && (
        <>
          <PolicyChanges changes={changes} />
          {acknowledged.map((rule) => (
            <p key={rule.name} className="font-medium">
              <PlainText text={againstRecord(rule)} />
            </p>
          ))}
          <details>
            <summary className="cursor-pointer underline underline-offset-4">
              The whole proposed policy
            </summary>
            <section
              aria-label="The whole proposed policy"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
              tabIndex={0}
              className="scroll-quiet mt-2 max-h-96 overflow-auto whitespace-pre rounded-md bg-sunken p-3 font-mono text-xs"
            >
              {JSON.stringify(proposed, null, 2)}
            </section>
          </details>
        </>
      )}
      {!mayApprove && (
        <p>You can’t approve this: you proposed it, or count as one person with {actorWords(by)}.</p>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button disabled={decide.isPending} onClick={() => decide.mutate("withdraw")}>
          Withdraw
        </Button>
        {mayApprove && (
          <Button variant="primary" disabled={decide.isPending} onClick={() => decide.mutate("approve")}>
            Approve
          </Button>
        )}
      </div>
      {decide.error && <p role="alert">{errorSentence(decide.error)}</p>}
    </Notice>
  );
}
