"use client";

import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import type { ServiceAccount } from "@/lib/people/service-accounts/service-account-schema.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { serviceAccountApi, useServiceAccountAction } from "./use-service-account-actions.ts";

/** Says what ends with the account before it is deleted. */
export function RemoveDialog({ account, onClose }: { account: ServiceAccount; onClose: () => void }) {
  const { id, name, keys } = account;
  const remove = useServiceAccountAction(() => serviceAccountApi.remove(id), `${name} was deleted`, onClose);
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Delete ${name}?`}
      description={`${whatEnds(keys)} It can’t be restored. Its tasks continue.`}
      confirm="Delete"
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {remove.error && <Notice live tone="bad" title={errorSentence(remove.error)} />}
    </ConfirmDialog>
  );
}

function whatEnds(keys: number): string {
  if (keys === 0) return "It has no keys.";
  const which = keys === 1 ? "Its key ends" : `Its ${keys} keys end`;
  return `${which} with it. Programs that use ${keys === 1 ? "it" : "them"} are refused at once.`;
}
