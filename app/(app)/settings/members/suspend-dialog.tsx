"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { organizationKeys } from "@/lib/api-client/organization.ts";
import type { Member } from "@/lib/members/schema.ts";

/** Says what a suspension ends and what stays, before it happens. */
export function SuspendDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const client = useQueryClient();
  const suspend = useMutation({
    mutationFn: () => api.post<Member>(`/api/v1/members/${member.id}/suspend`),
    onSuccess: () => {
      toast(`${member.name} is suspended`);
      void client.invalidateQueries({ queryKey: organizationKeys.members });
      void client.invalidateQueries({ queryKey: organizationKeys.invitations });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Suspend ${member.name}?`}
      description="They are out at once, on every screen, until you reinstate them."
      confirm="Suspend"
      destructive
      pending={suspend.isPending}
      onConfirm={() => suspend.mutate()}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>Their sessions end here, and API keys that they made stop working for good.</li>
        <li>What they claimed, or were assigned, is open to everybody again.</li>
        <li>
          Where they signed in to a server, for the shared connection too, somebody has to sign in again.
        </li>
        <li>Their tasks go on. What they decided stays, under their name.</li>
        <li>Their role and their preferences come back with them.</li>
      </ul>
      {suspend.error && (
        <Notice live tone="bad" title={errorSentence(suspend.error)}>
          <p>Nobody was suspended.</p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}
