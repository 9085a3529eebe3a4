"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { showSaved } from "@/lib/api-client/base/show-saved.ts";
import { organizationKeys } from "@/lib/api-client/organization.ts";
import type { Deletion, Organization } from "@/lib/organizations/schema.ts";

/** The deletion that waits, for owners, each of whom may take it back. */
export function PendingDeletion({ deletion, held }: { deletion: Deletion; held: boolean }) {
  const client = useQueryClient();
  const router = useRouter();
  const withdraw = useMutation({
    mutationFn: () => api.post<Organization>("/api/v1/organization/deletion/withdraw"),
    onSuccess: async (saved) => {
      await showSaved(client, organizationKeys.organization, saved);
      toast("Taken back. The organization stays");
      router.refresh();
    },
  });
  const { by, at, takesEffectAt } = deletion;
  return (
    <Notice tone="bad" title={`${actorWords(by, { begins: true })} asked to delete this organization`}>
      <p>
        <TimeAgo at={at} />. Everything goes {held ? "once the legal hold is lifted and " : ""}
        <TimeUntil at={takesEffectAt} over="as soon as no task is open" />. Until then it works as ever.
      </p>
      <div className="mt-2">
        <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
          Take it back
        </Button>
      </div>
      {withdraw.error && <p role="alert">{errorSentence(withdraw.error)}</p>}
    </Notice>
  );
}
