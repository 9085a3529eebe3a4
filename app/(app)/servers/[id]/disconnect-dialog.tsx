"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { serverKeys } from "@/lib/api-client/server-keys.ts";
import type { ServerConnection } from "@/lib/servers/connections/schema.ts";
import type { Server } from "@/lib/servers/schema.ts";

export function DisconnectDialog({
  server,
  connection,
  onClose,
}: {
  server: Server;
  connection: ServerConnection;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const disconnect = useMutation({
    mutationFn: () => api.delete(`/api/v1/connections/${connection.id}`),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: serverKeys.all });
      toast(`Disconnected from ${server.name}`);
      onClose();
    },
  });
  const { openTasks, shared } = connection;
  const name = shared ? "the shared connection" : "your connection";
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Disconnect ${name}?`}
      description={`Intray forgets its sign-in and tells the authorization server that it is over. ${fate(openTasks)}`}
      confirm="Disconnect"
      destructive
      pending={disconnect.isPending}
      onConfirm={() => disconnect.mutate()}
    >
      {disconnect.error && (
        <Notice live tone="bad" title={errorSentence(disconnect.error)}>
          <p>It may still be connected.</p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}

function fate(openTasks: number): string {
  if (openTasks === 0) return "No open task uses it.";
  const whose = openTasks === 1 ? "The open task on it is" : `The ${openTasks} open tasks on it are`;
  return `${whose} not cancelled: the server goes on with them, and Intray waits until somebody connects again.`;
}
