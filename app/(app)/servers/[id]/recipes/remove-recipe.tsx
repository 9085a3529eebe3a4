"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { removeRecipe } from "@/lib/api-client/recipes.ts";
import { serverKeys } from "@/lib/api-client/server-keys.ts";
import { taskTotal } from "@/lib/api-client/tasks/tasks.ts";
import type { RecipeVersion } from "@/lib/servers/recipes/schema.ts";
import type { Server } from "@/lib/servers/schema.ts";
import { hasEnded, TASK_STATES } from "@/lib/tasks/status.ts";
import { plural } from "@/lib/text/labels.ts";

/** Says what becomes of a recipe's tasks before it is removed. */
export function RemoveRecipe({
  server,
  recipe: { name },
  onDismiss,
  onRemoved,
}: {
  server: Server;
  recipe: RecipeVersion;
  onDismiss(): void;
  onRemoved(): void;
}) {
  const client = useQueryClient();
  const state = TASK_STATES.filter((one) => !hasEnded(one)).join();
  const open = useQuery(taskTotal({ serverId: server.id, tool: name, state })).data?.total;
  const remove = useMutation({
    mutationFn: () => removeRecipe(server.id, name),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: serverKeys.server(server.id) });
      toast(`The recipe ${name} was removed`);
      onRemoved();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onDismiss}
      title={`Remove the recipe ${name}?`}
      description={`People and agents can no longer start tasks with it. Open tasks keep the version that they were started with: they go on, and their questions still come to the inbox.${open ? ` Open now: ${plural(open, "task")}.` : ""}`}
      confirm="Remove the recipe"
      dismiss="Keep it"
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {remove.error && <Notice live tone="bad" title={errorSentence(remove.error)} />}
    </ConfirmDialog>
  );
}
