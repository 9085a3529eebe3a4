"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { organizationKeys } from "@/lib/api-client/organization.ts";
import type { Member } from "@/lib/members/schema.ts";

/** Takes back what an owner said of a member. */
export function TakeVouchBackDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const client = useQueryClient();
  const { name, vouchedBy } = member;
  const takeBack = useMutation({
    mutationFn: () => api.delete(`/api/v1/members/${member.id}/vouch`),
    onSuccess: () => {
      toast(`Nobody vouches for ${name} any more`);
      void client.invalidateQueries({ queryKey: organizationKeys.members });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Take the vouching for ${name} back?`}
      description={`${vouchedBy} said that ${name} is a person of their own. Without it, ${name} counts as one person with whoever invited them. Where a second person is required, neither may accept what the other asked for.`}
      confirm="Take back"
      pending={takeBack.isPending}
      onConfirm={() => takeBack.mutate()}
    >
      <p className="text-muted">What was decided meanwhile stays. It is recorded in Activity.</p>
      {takeBack.error && (
        <Notice live tone="bad" title={errorSentence(takeBack.error)}>
          <p>Nothing changed.</p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}
