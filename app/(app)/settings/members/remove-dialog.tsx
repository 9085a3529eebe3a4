"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

/** Explains and confirms the removal of a member. Closed while `member` is null. */
export function RemoveDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const client = useQueryClient();
  // Keeps the member while the dialog closes.
  const [last, setLast] = useState(member);
  if (member && member !== last) setLast(member);
  const remove = useMutation({
    mutationFn: (id: string) => api.delete(`/api/v1/members/${id}`),
    onSuccess: () => {
      toast(`${last?.name} was removed`);
      void client.invalidateQueries({ queryKey: organizationKeys.members });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open={member !== null}
      onOpenChange={() => {
        remove.reset();
        onClose();
      }}
      title={`Remove ${last?.name}?`}
      description="They lose access at once, on every screen."
      confirm="Remove"
      destructive
      pending={remove.isPending}
      onConfirm={() => member && remove.mutate(member.id)}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>API keys that they made stop working.</li>
        <li>Requests that they claimed, or were assigned, are open to everybody again.</li>
        <li>Servers that they signed in to need a new sign-in, also for the shared connection.</li>
        <li>Their decisions stay, under their name.</li>
      </ul>
      {remove.error && (
        <Notice live tone="bad" title={errorSentence(remove.error)}>
          <p>Nobody was removed.</p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}
