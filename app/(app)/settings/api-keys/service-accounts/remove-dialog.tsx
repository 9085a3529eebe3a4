"use client";

import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import type { ServiceAccount } from "@/lib/service-accounts/schema.ts";
import { plural } from "@/lib/text/labels.ts";
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
      description={
        keys > 0
          ? `Its ${plural(keys, "key")} end with it, and whatever uses them is refused at once. It can’t be brought back. Tasks that it started go on.`
          : "It has no keys. It can’t be brought back. Tasks that it started go on."
      }
      confirm="Delete"
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {remove.error && <Notice live tone="bad" title={errorSentence(remove.error)} />}
    </ConfirmDialog>
  );
}
