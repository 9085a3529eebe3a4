"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { organizationKeys } from "@/lib/api-client/organization.ts";
import type { Member } from "@/lib/members/schema.ts";

/** Says what vouching means before it is done, since requests may be accepted on the strength of it. */
export function VouchDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const client = useQueryClient();
  const { name, countsWith } = member;
  const vouch = useMutation({
    mutationFn: () => api.post<Member>(`/api/v1/members/${member.id}/vouch`),
    onSuccess: () => {
      toast(`${name} counts as a person of their own`);
      void client.invalidateQueries({ queryKey: organizationKeys.members });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Vouch for ${name}?`}
      description={`You say that ${name} is a real person apart from ${countsWith?.name ?? "whoever invited them"}. Where a second person is required, each may then accept what the other asked for.`}
      confirm="Vouch"
      pending={vouch.isPending}
      onConfirm={() => vouch.mutate()}
    >
      <p className="text-muted">
        It is recorded in Activity, and all owners are told. An owner can take it back.
      </p>
      {vouch.error && (
        <Notice live tone="bad" title={errorSentence(vouch.error)}>
          <p>Nothing changed.</p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}
