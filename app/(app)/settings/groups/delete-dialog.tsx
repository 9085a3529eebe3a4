"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Group } from "@/lib/policy/groups/group-schema.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { deleteGroup, policy } from "@/lib/web/client/settings/policy.ts";

/** Confirms that a group is deleted, or proposes it (`isProposed`). */
export function DeleteDialog({
  group,
  isProposed,
  onClose,
}: {
  group: Group;
  isProposed: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess: async ({ proposalId }) => {
      await client.invalidateQueries({ queryKey: policy().queryKey });
      toast(
        proposalId === null
          ? `${group.name} was deleted`
          : "Proposed. It takes effect once another admin approves it",
      );
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Delete ${group.name}?`}
      description={`You can’t delete a group while the policy or an unfinished request uses it. Its people stay members of the organization.${
        isProposed ? " It is deleted once another admin approves it." : ""
      }`}
      confirm={isProposed ? "Propose" : "Delete"}
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {remove.error && <Notice live tone="bad" title={errorSentence(remove.error)} />}
    </ConfirmDialog>
  );
}
