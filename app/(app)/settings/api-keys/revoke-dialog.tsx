"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

/** Confirms the revocation of an API key. */
export function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: ({ id }: ApiKey) => api.delete(`/api/v1/api-keys/${id}`),
    onSuccess: (_, { name }) => {
      toast(`${name} was revoked`);
      void client.invalidateQueries({ queryKey: organizationKeys.apiKeys });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={() => {
        revoke.reset();
        onClose();
      }}
      title={`Revoke ${apiKey.name}?`}
      description="Programs that use it are refused at once. A revoked key cannot be restored."
      confirm="Revoke"
      destructive
      pending={revoke.isPending}
      onConfirm={() => revoke.mutate(apiKey)}
    >
      {revoke.error && <Notice live tone="bad" title={errorSentence(revoke.error)} />}
    </ConfirmDialog>
  );
}
