"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { showSaved } from "@/lib/api-client/base/show-saved.ts";
import { organizationKeys } from "@/lib/api-client/organization.ts";
import type { Organization, FourEyesProposal as Proposal } from "@/lib/organizations/schema.ts";

const DONE = {
  accept: "A second person is no longer required",
  withdraw: "Withdrawn. A second person stays required",
};

/** The pending proposal to require no second person any more, for whoever may decide on it. */
export function FourEyesProposal({ proposal }: { proposal: Proposal }) {
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: (what: keyof typeof DONE) => api.post<Organization>(`/api/v1/organization/four-eyes/${what}`),
    onSuccess: async (saved, what) => {
      await showSaved(client, organizationKeys.organization, saved);
      toast(DONE[what]);
    },
    onError: () => client.invalidateQueries({ queryKey: organizationKeys.organization }),
  });
  const { by, at, takesEffectAt, mayAccept, mayWithdraw } = proposal;
  return (
    <Notice
      tone="wait"
      title={`${actorWords(by, { begins: true })} proposed to require no second person any more`}
    >
      <p>
        <TimeAgo at={at} />. It takes effect <TimeUntil at={takesEffectAt} over="any moment" />, or at once
        when a second person accepts. Tasks from before stay under the rule.
      </p>
      {!mayAccept && (
        <p>
          Not yours to accept: {actorWords(by)} counts as one person with you, or is a key of the command
          line, which may be anybody’s. Somebody else has to accept.
        </p>
      )}
      {(mayAccept || mayWithdraw) && (
        <div className="mt-2 flex flex-wrap gap-2">
          {mayWithdraw && (
            <Button disabled={decide.isPending} onClick={() => decide.mutate("withdraw")}>
              Withdraw
            </Button>
          )}
          {mayAccept && (
            <Button variant="danger" disabled={decide.isPending} onClick={() => decide.mutate("accept")}>
              Accept: require nobody
            </Button>
          )}
        </div>
      )}
      {decide.error && <p role="alert">{errorSentence(decide.error)}</p>}
    </Notice>
  );
}
