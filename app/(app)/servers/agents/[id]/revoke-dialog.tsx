"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Agent } from "@/lib/agents/agent-schema.ts";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";

/** Confirms the end of an agent. */
export function RevokeDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const revoke = useMutation({
    mutationFn: () => api.delete(`/api/v1/agent-credentials/${agent.id}`),
    onSuccess: () => {
      toast(`${agent.name} was revoked`);
      void client.invalidateQueries({ queryKey: agentKeys.list });
      router.push("/servers/agents");
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Revoke ${agent.name}?`}
      description="Intray refuses it at once, and ends its open calls. Its tasks continue. A revoked agent cannot be restored."
      confirm="Revoke"
      destructive
      pending={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      {revoke.error && <Notice live tone="bad" title={errorSentence(revoke.error)} />}
    </ConfirmDialog>
  );
}
